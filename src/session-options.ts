/** What a session can be told, and what it gives back before each request. */
import type { Outcome } from "./compact.ts";
import type { CompactionTrigger } from "./plan/ledger.ts";
import type { Policy } from "./plan/policy.ts";
import type { Spool } from "./store/spool.ts";
import type { Store } from "./store/store.ts";
import type { Summarizer } from "./summarize/summarize.ts";
import type { Json } from "./transcript/json.ts";
import type { Message } from "./transcript/message.ts";
import type { BodyWire } from "./wire/wire.ts";
import type { Workspace } from "./workspace.ts";

export interface SessionOptions {
  /** Where originals live. Default: memory, which forgets with the process; give a store to keep. */
  readonly store?: Store;
  /** The same id resumes the session from its ledger. Default: a new one. */
  readonly id?: string;
  /** The session this one works for: a subagent may read its parent's refs, and the other way round. */
  readonly parent?: string;
  /** A name or a policy. Default: `palimpsest`. */
  readonly policy?: string | Policy;
  readonly model?: string;
  /** By name, or your own. Default: told from the first messages. */
  readonly wire?: string | BodyWire;
  /** Of `model`; a request to another model goes by that model's own window. */
  readonly windowTokens?: number;
  /** Who writes summaries; `modelSummarizer({ …, isLive: true })` asks on the request this session sends next. */
  readonly summarizer?: Summarizer;
  /** A better one, for policies that use it where a person asked. Default: `summarizer`. */
  readonly fullSummarizer?: Summarizer;
  /** The files the agent works on (`openWorkspace`): to put them back, and to say which have changed since. */
  readonly workspace?: Workspace;
  /** Where policies that name paths write their files (`openSpool`). Default: nowhere; the store has everything. */
  readonly spool?: Spool;
  readonly now?: () => number;
  /**
   * A silent turn of the model before an automatic fold, where the policy asks for one: told what to ask it. What it
   * writes down is the host's to keep; a failure here is reported and the fold goes on.
   */
  readonly onFlush?: (instruction: string) => Promise<void>;
  /** What a user should see: a compaction was made, the breaker tripped. */
  readonly onNotice?: (notice: string) => void;
  /** What went wrong inside. Default: one line on standard error; never silent. */
  readonly onError?: (error: unknown) => void;
}

/** What stands around the messages of a request, in your SDK's own types. Counted, never changed. */
export interface RequestAround {
  readonly system?: Json | object | undefined;
  readonly tools?: Json | object | undefined;
  readonly model?: string | undefined;
  /** The wire the messages are in. Default: found from them. */
  readonly wire?: string | BodyWire | undefined;
  /** Of the request. Aborted, no summarizer is waited for: the extractor writes, and nothing throws. */
  readonly signal?: AbortSignal | undefined;
}

/** `M`: one message in your SDK's own type. */
export interface Prepared<M = Json> {
  /** To be sent, not to be changed: the list grows with the next request. An SDK that wants a list of its own takes `[...messages]`. */
  readonly messages: readonly M[];
  /** What was done for this request; absent where nothing was. */
  readonly outcome?: Outcome;
}

/** How a response ended, where there is more to say than that it is done. */
export interface Observed {
  readonly ended?: Message["ended"] | undefined;
  /** The provider's word for why it stopped (`end_turn`, `length`, …): some overflow without any other sign. */
  readonly stopReason?: string | null | undefined;
}

export interface CompactRequest {
  /** What the summary should not lose, in the user's or the agent's words. */
  readonly focus?: string;
  readonly trigger?: CompactionTrigger;
  /** How far down, in place of the policy's target. */
  readonly targetTokens?: number;
  /** For this one alone. Default: the session's. */
  readonly policy?: Policy;
  /** Aborted, no summarizer is waited for. */
  readonly signal?: AbortSignal;
}
