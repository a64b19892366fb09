/** The text that stands where a result was, as a policy wants it; no edit where it would not be smaller. */
import { resultText } from "../transcript/message.ts";
import { descriptionOf } from "./describe-part.ts";
import type { Edit } from "./edit.ts";
import type { Leave } from "./policy.ts";
import { previewOf } from "./preview.ts";
import { endsOf } from "./previews/ends.ts";
import { type Answered, addressAt, isPinned, type Situation, savingOf } from "./situation.ts";
import { opaqueStubText, type StubFacts, shortenedText, stubText } from "./stub.ts";

export function editResult(
  situation: Situation,
  { call, result }: Answered,
  { leave, why }: { readonly leave: Leave; readonly why: string },
): Edit | undefined {
  const at = addressAt(situation, result);
  if (!at || isPinned(situation, result) || isPinned(situation, call)) return undefined;
  const facts = {
    ref: at.ref,
    description: descriptionOf(result.part, call.part, situation.descriptions),
    why,
    tokens: situation.tokensOf(result.part),
  };
  const said = { ...facts, tool: call.part.name, path: situation.pathOf?.(at.ref) ?? at.ref };
  const text = textFor(leave, said, resultText(result.part)) ?? previewText(leave, facts, { call, result });
  if (text === undefined) return undefined;
  const tokens = savingOf(situation, result.part, text);
  if (tokens <= 0) return undefined;
  return { kind: kindOf(leave), at, why, tokens, text };
}

/** Whether some of the content stays. */
export function kindOf(leave: Leave): "trim" | "stub" {
  if (leave.kind === "text") return leave.headChars === undefined ? "stub" : "trim";
  return leave.kind === "stub" && leave.format !== "preview" ? "stub" : "trim";
}

export interface LeaveFacts extends StubFacts {
  readonly tool: string;
  readonly path: string;
}

/** Undefined where a preview is made for the kind of result, which needs its call. */
export function textFor(leave: Leave, facts: LeaveFacts, original: string): string | undefined {
  switch (leave.kind) {
    case "text":
      return filled(leave.text, facts, original.slice(0, leave.headChars ?? 0));
    case "ends":
      return shortenedText(facts, endsOf(original, leave));
    case "ends-by-characters":
      return original.length <= leave.headChars + leave.tailChars
        ? original
        : `${original.slice(0, leave.headChars)}${leave.between}${original.slice(original.length - leave.tailChars)}`;
    case "preview":
      return undefined;
    case "stub":
      if (leave.format === "opaque") return opaqueStubText(facts.ref);
      if (leave.format !== "preview") return stubText(facts);
      return shortenedText(facts, original.slice(0, leave.previewChars ?? 200));
  }
}

/** In one pass, so that what a tool printed cannot name a variable. */
function filled(text: string, facts: LeaveFacts, head: string): string {
  return text.replaceAll(/\{(ref|description|tokens|tool|path|head)\}/g, (_, name: string) =>
    name === "head" ? head : String(facts[name as Exclude<keyof LeaveFacts, "why">]),
  );
}

function previewText(leave: Leave, facts: StubFacts, { call, result }: Answered): string | undefined {
  if (leave.kind !== "preview") return undefined;
  const preview = previewOf(result.part, call.part, leave);
  return preview === undefined ? undefined : shortenedText(facts, preview);
}
