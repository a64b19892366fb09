/** The public name. What is not exported here is ours to change. */
export { type ErrorCode, PalimpsestError } from "./errors.ts";
export { openFile, type Progress } from "./file.ts";
export {
  type ContextNow,
  type InspectedCompaction,
  type Inspection,
  inspectSession,
  type UsageTotals,
} from "./inspect.ts";
export {
  type Calibration,
  edited,
  isCalibrated,
  type Observation,
  observe,
  predict,
  UNCALIBRATED,
} from "./measure/calibrate.ts";
export { type Counter, estimatorFor } from "./measure/count.ts";
export { estimateTokens } from "./measure/estimate.ts";
export {
  type Basis,
  isOver,
  type Measurement,
  type MeasureOptions,
  Meter,
  measure,
} from "./measure/measure.ts";
export { type Cost, cost, type Model, modelNamed } from "./measure/models.ts";
export { calibrationOf } from "./measure/recorded.ts";
export { type Request, requestsOf } from "./measure/requests.ts";
export { tokenizerFor } from "./measure/tokenizer.ts";
export { type CheckOptions, check, type Problem } from "./transcript/check.ts";
export type { Json } from "./transcript/json.ts";
export type {
  DocumentPart,
  ImagePart,
  MediaSource,
  Message,
  OpaquePart,
  Part,
  ResultPart,
  Role,
  TextPart,
  ThinkingPart,
  ToolCallPart,
  ToolResultPart,
  ToolSchema,
  Transcript,
  Usage,
} from "./transcript/message.ts";
export { hasUserWords, promptTokens, resultText } from "./transcript/message.ts";
export { type Pair, type Pairing, pairUp } from "./transcript/pairs.ts";
export { type AddressedPart, addressParts, isRef, type Ref, refOf } from "./transcript/ref.ts";
export type { ProblemCode, Provider } from "./transcript/rules.ts";
export { type ToolUse, toolUse } from "./transcript/tool-use.ts";
export { type Range, stepsOf, turnsOf } from "./transcript/turns.ts";
export { type Line, type Source, sourceOf } from "./wire/source.ts";
export type {
  About,
  Aside,
  BodyWire,
  NativeCompaction,
  Sample,
  Session,
  SessionWire,
  Skipped,
  Wire,
} from "./wire/wire.ts";
export {
  bodyWireNamed,
  bodyWires,
  detectWire,
  fileWireNamed,
  readSession,
  sampleFrom,
  sessionWires,
  wireNames,
} from "./wire/wires.ts";
