/** Who answers, as the command line says it: a model, a program, or the record of an earlier run. */
import type { LanguageModel } from "ai";
import { PalimpsestError } from "palimpsest";
import { type Asker, recording, replaying } from "./asker.ts";
import { commandAsker } from "./command-asker.ts";

export interface AskerChoice {
  /** A model of the AI SDK, opened by whoever has the keys. */
  readonly model?: unknown;
  readonly command?: string | undefined;
  /** Write every answer to this file. */
  readonly record?: string | undefined;
  /** Answer from this file, and ask nobody. */
  readonly replay?: string | undefined;
}

export async function openAsker({ model, command, record, replay }: AskerChoice): Promise<Asker> {
  if (replay !== undefined) return replaying(replay);
  const asker = command === undefined ? await ofModel(model) : commandAsker(command);
  return record === undefined ? asker : recording(asker, record);
}

async function ofModel(model: unknown): Promise<Asker> {
  if (model === undefined) throw new PalimpsestError("usage", "Nobody was named who would answer.");
  const { sdkAsker } = await import("./sdk-asker.ts");
  // The command line opened it with the same SDK.
  return sdkAsker(model as LanguageModel);
}
