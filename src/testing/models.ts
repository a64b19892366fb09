/** The list of models, as each provider spells it. */
import { MODELS } from "../measure/model-table.ts";
import { modelNamed, vendorOf } from "../measure/models.ts";
import type { Json, JsonObject } from "../transcript/json.ts";
import type { Headers } from "./api.ts";

/** `undefined` where the path asks for something else. */
export function modelList(path: string, headers: Headers, models?: readonly string[]): Json | undefined {
  if (/^\/v1(beta|alpha)\/models$/.test(path)) return { models: namesOf("google", models).map(geminiModel) };
  if (!/^(\/v1)?\/models$/.test(path)) return undefined;
  if (!headers["anthropic-version"])
    return { object: "list", data: namesOf(undefined, models).map(openaiModel) };
  const data = namesOf("anthropic", models).map(anthropicModel);
  return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}

/** A script's own models are offered to everyone; of the table, to each provider its own. */
function namesOf(vendor: string | undefined, models?: readonly string[]): readonly string[] {
  const names = models ?? MODELS.map(({ name }) => name);
  return models || !vendor ? names : names.filter((name) => vendorOf(name) === vendor);
}

function anthropicModel(id: string): { readonly id: string } & JsonObject {
  return { type: "model", id, display_name: id, created_at: "2026-01-01T00:00:00Z" };
}

function openaiModel(id: string): Json {
  return { id, object: "model", created: 1_767_225_600, owned_by: "palimpsest" };
}

function geminiModel(name: string): Json {
  const { windowTokens, outputTokens } = modelNamed(name);
  return {
    name: `models/${name}`,
    displayName: name,
    inputTokenLimit: windowTokens,
    outputTokenLimit: outputTokens,
    supportedGenerationMethods: ["generateContent", "countTokens"],
  };
}
