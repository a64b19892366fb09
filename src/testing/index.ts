/** `palimpsest/testing`: a model server that says what it is told, and refuses what the real one would. */
export type { Violation, ViolationCode } from "./api.ts";
export type { RecordedRequest } from "./records.ts";
export type { ModelOptions } from "./respond.ts";
export type { ApiName, Call, Ending, Fault, ModelRequest, Reply, Script } from "./script.ts";
export { type ModelServer, startModelServer } from "./server.ts";
