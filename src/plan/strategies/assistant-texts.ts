/**
 * What the model itself said becomes a ref too. Seed 003 found this to be the largest single gain: conclusions survive
 * beside their evidence, and neither is retold.
 */
import { descriptionOf } from "../describe-part.ts";
import { kindOf, textFor } from "../leave.ts";
import type { AssistantTextsRule } from "../policy.ts";
import { addressAt, isPage, isPinned, type Proposal, type Situation, savingOf } from "../situation.ts";

export function proposeAssistantTexts(situation: Situation, rule: AssistantTextsRule): readonly Proposal[] {
  const { messages } = situation.transcript;
  const byShare = Math.floor(messages.length * (1 - (rule.keepShareOfMessages ?? 0)));
  const end = Math.min(byShare, messages.length - (rule.keepMessages ?? 0));
  return messages.slice(0, Math.max(0, end)).flatMap((message, messageIndex): readonly Proposal[] => {
    if (message.role !== "assistant" || isPage(situation, messageIndex)) return [];
    return message.parts.flatMap((part, partIndex): readonly Proposal[] => {
      const place = { messageIndex, partIndex };
      const at = addressAt(situation, place);
      const tokens = situation.tokensOf(part);
      if (part.type !== "text" || !at || tokens < rule.minTokens || isPinned(situation, place)) return [];
      const facts = { ref: at.ref, description: descriptionOf(part), why: "said earlier", tokens };
      const said = { ...facts, tool: "", path: situation.pathOf?.(at.ref) ?? at.ref };
      const text = textFor(rule.leave, said, part.text);
      if (text === undefined) return [];
      const saved = savingOf(situation, part, text);
      if (saved <= 0) return [];
      const edit = { kind: kindOf(rule.leave), at, why: facts.why, tokens: saved, text };
      return [{ edit, place, since: messageIndex }];
    });
  });
}
