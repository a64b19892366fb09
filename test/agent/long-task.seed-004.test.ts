import { testLongTask } from "./test-long-task.ts";

testLongTask("ion", "palimpsest");
