/** What harnesses recorded is legal: by the rules of the provider it was recorded with, and by the strictest. */
import { existsSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { PalimpsestError } from "../../src/errors.ts";
import { openFile } from "../../src/file.ts";
import { check, type Provider } from "../../src/transcript/check.ts";
import type { Session } from "../../src/wire/wire.ts";
import { readSession } from "../../src/wire/wires.ts";

const FOLDER = resolve(import.meta.dirname, "../../../shared/transcripts");

/** Harnesses that talk to many providers are held to the strictest alone. */
const SPOKEN: Readonly<Record<string, Provider>> = {
  "claude-code": "anthropic",
  cline: "anthropic",
  codex: "openai-responses",
  "copilot-cli": "openai-chat",
  "gemini-cli": "gemini",
  "mini-swe-agent": "openai-chat",
  openhands: "openai-chat",
  "swe-agent": "openai-chat",
};

const files = existsSync(FOLDER)
  ? readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((path) => path.includes("/"))
  : [];

describe.skipIf(files.length === 0)(
  "recorded conversations are legal (skipped: no ../shared/transcripts)",
  () => {
    test.for(files)("%s", (path, { skip }) => {
      const session = sessionOf(resolve(FOLDER, path));
      if (!session) return skip("no wire reads this yet");
      const provider = SPOKEN[path.split("/")[0] ?? ""] ?? "strictest";
      for (const transcript of [session.seen, session.whole]) {
        expect(check(transcript, { provider, as: "record", original: transcript })).toEqual([]);
        expect(check(transcript, { as: "record", original: transcript })).toEqual([]);
      }
    });
  },
);

function sessionOf(path: string): Session | undefined {
  try {
    return readSession(openFile(path));
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "unknown-wire") return undefined;
    throw error;
  }
}
