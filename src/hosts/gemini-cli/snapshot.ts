/**
 * Gemini CLI has no moment after a compression, but before every request it tells what is in it: its summary stands there as a
 * user's message with a `<state_snapshot>`, and the model's thanks. Our page goes behind that summary, in what is sent and nowhere
 * else, so it is said again with every request, in the same bytes: the ledger has it.
 */
import type { Store } from "../../store/store.ts";
import { type Json, list, object, string } from "../../transcript/json.ts";
import { refOf } from "../../transcript/ref.ts";
import type { Told } from "../hook-host.ts";

const SNAPSHOT = "<state_snapshot>";
/** What Gemini CLI lets the model say to it; nobody else begins so behind a snapshot. */
const THANKS = "Got it. Thanks for the additional context!";

export interface Snapshot {
  /** The messages up to the summary, and it. Those behind are left out of the answer: then they stay as they are. */
  readonly before: readonly Json[];
  readonly text: string;
}

export function snapshotIn({ raw }: Told): Snapshot | undefined {
  const messages = list(object(raw["llm_request"])["messages"]);
  const said = (index: number) => string(object(messages[index])["content"]) ?? "";
  const at = messages.findLastIndex(
    (message, index) =>
      object(message)["role"] === "user" &&
      said(index).includes(SNAPSHOT) &&
      said(index + 1).startsWith(THANKS),
  );
  return at < 0 ? undefined : { before: messages.slice(0, at), text: said(at) };
}

/** The page that stands behind this summary; made when it is first seen. */
export async function pageBehind(
  { text }: Snapshot,
  { store, sessionId }: { readonly store: Store; readonly sessionId: string },
  make: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const of = refOf({ type: "text", text });
  const ledger = await store.ledger(sessionId);
  const there = ledger.findLast((entry) => entry.kind === "host-page" && entry.of === of);
  if (there?.kind === "host-page") return there.text;
  const page = await make();
  if (page !== undefined)
    await store.append(sessionId, [{ kind: "host-page", at: Date.now(), text: page, of }]);
  return page;
}

export function withPage({ event }: Told, { before, text }: Snapshot, page: string): Json {
  const messages = [...before, { role: "user", content: `${text}\n\n${page}` }];
  return { hookSpecificOutput: { hookEventName: event, llm_request: { messages } } };
}
