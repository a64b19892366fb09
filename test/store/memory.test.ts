import { memoryStore } from "../../src/store/memory.ts";
import { testStore } from "../contracts/store.ts";

testStore("memory", async () => memoryStore());
