/** The public name. What is not exported here is ours to change. */
export { view } from "./apply/view.ts";
export { type CompactOptions, compact, type Outcome, type Unchanged } from "./compact.ts";
export { type ErrorCode, PalimpsestError } from "./errors.ts";
export { openFile, type Progress } from "./file.ts";
export { guardCall } from "./guard.ts";
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
export { usageFrom } from "./measure/usage.ts";
export { isOverflow } from "./overflow.ts";
export { type Address, addressKey, type Edit } from "./plan/edit.ts";
export type { Compaction, CompactionTrigger, LedgerEntry } from "./plan/ledger.ts";
export { parsePolicy } from "./plan/parse-policy.ts";
export { isWorthALook } from "./plan/pays.ts";
export { isDueAt } from "./plan/plan.ts";
export { policyNamed, policyNames } from "./plan/policies.ts";
export type { Policy } from "./plan/policy.ts";
export { arrivalTokens } from "./plan/prune.ts";
export { roomIn } from "./plan/size.ts";
export { SECTIONS, type SectionName, type Summary, type SummaryLine } from "./plan/summary.ts";
export { netSavings, type Savings } from "./savings.ts";
export { type AgentSession, openSession } from "./session.ts";
export type {
  CompactRequest,
  Observed,
  Prepared,
  RequestAround,
  SessionOptions,
} from "./session-options.ts";
export type { SessionTools } from "./session-tools.ts";
export { memoryStore } from "./store/memory.ts";
export type { PlacedRow } from "./store/paging.ts";
export { searchRows } from "./store/search.ts";
export { openSpool, type Spool } from "./store/spool.ts";
export { openSqliteStore } from "./store/sqlite.ts";
export type {
  Original,
  Recall,
  RefPage,
  RefQuery,
  RefRow,
  SessionFacts,
  SessionRow,
  Store,
} from "./store/store.ts";
export { type Needle, needleOf } from "./store/words.ts";
export { commandSummarizer } from "./summarize/command.ts";
export { extractive } from "./summarize/extractive.ts";
export { modelSummarizer } from "./summarize/model.ts";
export type { SdkModel } from "./summarize/sdk-model.ts";
export type { SummarizeInput, Summarizer, Written } from "./summarize/summarize.ts";
export { type RefToolSchema, runTool, type ToolAnswer, toolSchemas } from "./tools.ts";
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
export { textIn } from "./transcript/part-text.ts";
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
export { openWorkspace, type Workspace } from "./workspace.ts";
