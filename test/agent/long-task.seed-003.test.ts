import { testLongTask } from "./test-long-task.ts";

testLongTask("summarize", "pointerize", "hybrid");
