/**
 * From a name to a model of the AI SDK: `anthropic/…`, `openai/…`, or any other name for a server that speaks OpenAI's Chat
 * Completions. Keys and addresses come from the environment; the SDK of a provider is loaded when it is asked for.
 */
import { PalimpsestError } from "../errors.ts";
import type { SdkModel } from "../summarize/sdk-model.ts";
import { defined } from "../transcript/json.ts";

export interface AgentModel {
  readonly model: SdkModel;
  /** As the provider spells it: windows, prices and counting go by it. */
  readonly name: string;
  readonly provider: "anthropic" | "openai" | "openai-compatible" | "custom";
}

export interface Reach {
  /** In place of the provider's own address. */
  readonly baseUrl?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export async function openModel(word: string, reach: Reach): Promise<AgentModel> {
  const [provider, name] = split(word);
  switch (provider) {
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      const baseURL = versioned(reach.baseUrl ?? reach.env["ANTHROPIC_BASE_URL"]);
      const apiKey = needed("ANTHROPIC_API_KEY", word, reach);
      return { model: createAnthropic({ apiKey, ...defined({ baseURL }) })(name), name, provider };
    }
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      const baseURL = reach.baseUrl ?? reach.env["OPENAI_BASE_URL"];
      const apiKey = needed("OPENAI_API_KEY", word, reach);
      return { model: createOpenAI({ apiKey, ...defined({ baseURL }) }).responses(name), name, provider };
    }
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const apiKey = reach.env["OPENAI_API_KEY"];
      const baseURL = reach.baseUrl ?? needed("OPENAI_BASE_URL", word, reach);
      const settings = { name: "local", baseURL, includeUsage: true, ...defined({ apiKey }) };
      return { model: createOpenAICompatible(settings)(name), name, provider };
    }
  }
}

function split(word: string): readonly [Exclude<AgentModel["provider"], "custom">, string] {
  const [, provider, name] = /^(anthropic|openai-compatible|openai)\/(.+)$/s.exec(word) ?? [];
  if (name === undefined) return ["openai-compatible", word];
  return [provider === "anthropic" || provider === "openai" ? provider : "openai-compatible", name];
}

/** Claude Code's variable names the server, the SDK wants the version behind it. */
function versioned(url: string | undefined): string | undefined {
  if (url === undefined || url === "") return undefined;
  return new URL(url).pathname === "/" ? `${url.replace(/\/$/, "")}/v1` : url;
}

function needed(variable: string, word: string, { env }: Reach): string {
  const value = env[variable];
  if (value !== undefined && value !== "") return value;
  throw new PalimpsestError("usage", `The model "${word}" needs ${variable} in the environment.`);
}

/** What a provider has to be told with every request. */
export function providerOptionsOf({
  provider,
}: Pick<AgentModel, "provider">): Record<string, Record<string, boolean>> {
  // Nothing stays on their side: an item that was folded away must not be asked for by its id.
  return provider === "openai" ? { openai: { store: false } } : {};
}
