/** The events of one item of a Responses stream: it opens empty, fills, is said once more whole, and is done. */
import { type JsonObject, list, object, string } from "../transcript/json.ts";
import { slices } from "./sse.ts";

export function itemEvents(item: JsonObject, index: number, chars: number): readonly JsonObject[] {
  const at = { output_index: index, item_id: item["id"] };
  return [
    { type: "response.output_item.added", output_index: index, item: opened(item) },
    ...filling(item, chars).map((data) => ({ ...at, ...data })),
    { type: "response.output_item.done", output_index: index, item },
  ];
}

function opened(item: JsonObject): JsonObject {
  switch (item["type"]) {
    case "message":
      return { ...item, status: "in_progress", content: [] };
    case "reasoning":
      return { ...item, summary: [] };
    case "function_call":
      return { ...item, status: "in_progress", arguments: "" };
    default:
      return { ...item, status: "in_progress", input: "" };
  }
}

function filling(item: JsonObject, chars: number): readonly JsonObject[] {
  switch (item["type"]) {
    case "message":
      return list(item["content"]).flatMap((part, index) => contentEvents(object(part), index, chars));
    case "reasoning":
      return list(item["summary"]).flatMap((part, index) => summaryEvents(object(part), index, chars));
    case "function_call":
      return fieldEvents("response.function_call_arguments", "arguments", { item, chars });
    default:
      return fieldEvents("response.custom_tool_call_input", "input", { item, chars });
  }
}

function contentEvents(part: JsonObject, index: number, chars: number): readonly JsonObject[] {
  const [name, field] = part["type"] === "refusal" ? ["refusal", "refusal"] : ["output_text", "text"];
  const text = string(part[field ?? ""]) ?? "";
  const at = { content_index: index };
  return [
    { type: "response.content_part.added", ...at, part: { ...part, [field ?? ""]: "" } },
    ...slices(text, chars).map((delta) => ({ type: `response.${name}.delta`, ...at, delta, logprobs: [] })),
    { type: `response.${name}.done`, ...at, [field ?? ""]: text, logprobs: [] },
    { type: "response.content_part.done", ...at, part },
  ];
}

function summaryEvents(part: JsonObject, index: number, chars: number): readonly JsonObject[] {
  const text = string(part["text"]) ?? "";
  const at = { summary_index: index };
  return [
    { type: "response.reasoning_summary_part.added", ...at, part: { ...part, text: "" } },
    ...slices(text, chars).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...at, delta })),
    { type: "response.reasoning_summary_text.done", ...at, text },
    { type: "response.reasoning_summary_part.done", ...at, part },
  ];
}

function fieldEvents(
  name: string,
  field: string,
  { item, chars }: { readonly item: JsonObject; readonly chars: number },
): readonly JsonObject[] {
  const text = string(item[field]) ?? "";
  return [
    ...slices(text, chars).map((delta) => ({ type: `${name}.delta`, delta })),
    { type: `${name}.done`, [field]: text },
  ];
}
