/**
 * `--summarizer S`: who writes the summary. Keys and addresses come from the environment, and only here; the SDK of a
 * provider is loaded when it is asked for.
 */
import { commandSummarizer } from "../summarize/command.ts";
import { extractive } from "../summarize/extractive.ts";
import { type ModelOptions, modelSummarizer } from "../summarize/model.ts";
import type { Summarizer } from "../summarize/summarizer.ts";
import { usageError } from "./arguments.ts";
import type { Io } from "./io.ts";

export function summarizerOption(word: string | undefined, io: Io): Summarizer {
  if (word === undefined || word === extractive.name) return extractive;
  const [kind, rest] = split(word, ":");
  if (kind === "command" && rest !== "") return commandSummarizer(rest);
  if (kind !== "model" && kind !== "live")
    throw usageError(
      `--summarizer is extractive, command:<program>, model:<provider>/<model> or live:<provider>/<model>; "${word}" is none.`,
      "compact",
    );
  const [provider, model] = split(rest, "/");
  if (model === "") throw usageError(`"${word}" names no model; ${kind}:<provider>/<model> does.`, "compact");
  return modelSummarizer({ model, ...reachOf(provider, io), isLive: kind === "live" });
}

export type Reach = Pick<ModelOptions, "provider" | "apiKey" | "baseURL">;

/** Where the provider is, and the key it wants. A local server may want none. */
export function reachOf(provider: string, io: Io): Reach {
  switch (provider) {
    case "anthropic":
      return {
        provider,
        ...given("baseURL", "ANTHROPIC_BASE_URL", io),
        apiKey: needed("ANTHROPIC_API_KEY", io),
      };
    case "openai":
      return { provider, ...given("baseURL", "OPENAI_BASE_URL", io), apiKey: needed("OPENAI_API_KEY", io) };
    case "openai-compatible":
      return { provider, ...given("apiKey", "OPENAI_API_KEY", io), baseURL: needed("OPENAI_BASE_URL", io) };
  }
  throw usageError(
    `There is no provider "${provider}". Known: anthropic, openai, openai-compatible.`,
    "compact",
  );
}

function needed(variable: string, io: Io): string {
  const value = io.env[variable];
  if (value !== undefined && value !== "") return value;
  throw usageError(`This model needs ${variable} in the environment.`, "compact");
}

function given<K extends "apiKey" | "baseURL">(key: K, variable: string, io: Io): Partial<Record<K, string>> {
  const value = io.env[variable];
  // One computed key: TypeScript widens it to any string.
  return value === undefined || value === "" ? {} : ({ [key]: value } as Record<K, string>);
}

/** At the first separator; model names and commands may hold more of them. */
function split(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
