/**
 * The ledger: what was done to a session, append-only. Types only; stores keep it, `apply/view.ts` reads it.
 */
import type { Usage } from "../transcript/message.ts";
import type { Ref } from "../transcript/ref.ts";
import type { Address, Edit } from "./edit.ts";
import type { Summary } from "./summary.ts";

export type LedgerEntry = Compaction | Undo | Recalled | Requested | HostPage;

export interface Compaction {
  readonly kind: "compaction";
  /** Made from its content: the same compaction of the same history has the same id. */
  readonly id: string;
  readonly at: number;
  readonly policy: string;
  readonly trigger: CompactionTrigger;
  readonly focus?: string;
  readonly edits: readonly Edit[];
  /** Made for one request alone. Never in a ledger: the next request begins from the whole. */
  readonly isTransient?: true;
  /** The fold whose page this one integrates: where that does not apply, neither does this. */
  readonly after?: string;
  /** What stands for the folded parts; where nothing was folded, a table of what was cut, or nothing. */
  readonly page?: Page;
  /** The summary as data, so that the next compaction can merge into it. */
  readonly summary?: Summary;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** What writing the summary took, where a model wrote it. */
  readonly summarizing?: { readonly by: string; readonly usage?: Usage; readonly costUsd?: number };
}

export type CompactionTrigger = "auto" | "manual" | "agent" | "idle" | "overflow" | "arrival";

/** One message in place of what was folded; a later page takes the place of an earlier one. */
export interface Page {
  readonly role: "user" | "assistant";
  readonly text: string;
  /** Behind the message that holds this part; behind the last of what folded where that is not said, or no longer there. */
  readonly behind?: Address;
  /**
   * The model's line before it, where the page would stand behind results of an older response: providers join the two, and
   * then ask for the thinking of that response. Not shown where the page stands first or behind the model's words.
   */
  readonly leadIn?: string;
  /** Some systems let the model acknowledge the summary; a second message with this text. */
  readonly acknowledgement?: string;
}

/** The compaction named no longer counts. */
export interface Undo {
  readonly kind: "undo";
  readonly at: number;
  readonly of: string;
}

/** The model (or a person) read an original back: savings are net of it. */
export interface Recalled {
  readonly kind: "recalled";
  readonly at: number;
  readonly ref: Ref;
  readonly tokens: number;
}

/** What the provider reported for one request: calibrates, prices, nets. */
export interface Requested {
  readonly kind: "requested";
  readonly at: number;
  readonly model?: string;
  readonly usage: Usage;
  /** The size the prompt would have had without us, as measured. */
  readonly tokensWithoutUs: number;
  /** Of the prompt that was sent: our tool schemas and ref table. */
  readonly overheadTokens?: number;
}

/**
 * The host compacted by itself, and this is what the model was told with it: shown again to the letter after a restart, so
 * that the cache keeps hitting.
 */
export interface HostPage {
  readonly kind: "host-page";
  readonly at: number;
  readonly text: string;
  /** The summary of the host's that it stands behind, by its ref; where a host has no moment of its own to say it at. */
  readonly of?: string;
}
