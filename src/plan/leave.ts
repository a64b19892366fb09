/** The text that stands where a result was, as a policy wants it; no edit where it would not be smaller. */
import { resultText, type ToolResultPart } from "../transcript/message.ts";
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
    description: descriptionOf(result.part, call.part),
    why,
    tokens: situation.tokensOf(result.part),
  };
  const text = textFor(leave, facts, result.part) ?? previewText(leave, facts, { call, result });
  if (text === undefined) return undefined;
  const tokens = savingOf(situation, result.part, text);
  if (tokens <= 0) return undefined;
  return { kind: leave.kind === "ends" || leave.kind === "preview" ? "trim" : "stub", at, why, tokens, text };
}

function textFor(leave: Leave, facts: StubFacts, result: ToolResultPart): string | undefined {
  switch (leave.kind) {
    case "text":
      return leave.text;
    case "ends":
      return shortenedText(facts, endsOf(resultText(result), leave));
    case "preview":
      return undefined;
    case "stub":
      if (leave.format === "opaque") return opaqueStubText(facts.ref);
      if (leave.format !== "preview") return stubText(facts);
      return shortenedText(facts, resultText(result).slice(0, leave.previewChars ?? 200));
  }
}

function previewText(leave: Leave, facts: StubFacts, { call, result }: Answered): string | undefined {
  if (leave.kind !== "preview") return undefined;
  const preview = previewOf(result.part, call.part, leave);
  return preview === undefined ? undefined : shortenedText(facts, preview);
}
