import { testLongTask } from "./test-long-task.ts";

testLongTask("claude-code", "opencode");
