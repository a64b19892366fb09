/** A memory store with a session and originals in it, and the tools run on it. */
import { memoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/store.ts";
import { runTool, type ToolAnswer, type ToolContext } from "../../src/tools.ts";
import type { Json } from "../../src/transcript/json.ts";
import type { Part } from "../../src/transcript/message.ts";
import { type Ref, refOf } from "../../src/transcript/ref.ts";

export interface Kept {
  readonly store: Store;
  readonly refs: readonly Ref[];
  readonly run: (name: string, input: Json, more?: Partial<ToolContext>) => Promise<ToolAnswer>;
}

export async function keeping(...parts: readonly (string | Part)[]): Promise<Kept> {
  const store = memoryStore();
  await store.openSession({ id: "here", at: 1 });
  const refs = await keepIn(store, "here", parts);
  return {
    store,
    refs,
    run: (name, input, more = {}) => runTool(name, input, { store, sessionId: "here", ...more }),
  };
}

export async function keepIn(
  store: Store,
  sessionId: string,
  parts: readonly (string | Part)[],
): Promise<readonly Ref[]> {
  const originals = parts
    .map((part): Part => (typeof part === "string" ? { type: "text", text: part } : part))
    .map((part, index) => ({
      ref: refOf(part),
      part,
      description: `Command: step ${index}`,
      tokens: 100 + index,
      at: 10 + index,
    }));
  await store.keep(sessionId, originals);
  return originals.map(({ ref }) => ref);
}

/** What stands between the marks. */
export function bodyOf(answer: ToolAnswer, ref: string): string {
  const open = answer.text.indexOf(`<<<<< ${ref}\n`);
  const close = answer.text.lastIndexOf(`\n>>>>> ${ref}`);
  return answer.text.slice(open + `<<<<< ${ref}\n`.length, close);
}
