import { testLongTask } from "./test-long-task.ts";

testLongTask("nucleic", "layered");
