/**
 * What every wire is held to. A new wire is done when its test file calls one of these with a few real-looking
 * files or bodies, and adds only what is its own.
 */
import { describe, expect, test } from "vitest";
import { type Json, parseJson } from "../../src/transcript/json.ts";
import { hasUserWords, type Message, type Part, type Transcript } from "../../src/transcript/message.ts";
import { type Source, sourceOf } from "../../src/wire/source.ts";
import type { BodyWire, Session, SessionWire } from "../../src/wire/wire.ts";
import { bodyWires, detectWire, sampleFrom } from "../../src/wire/wires.ts";

export interface Example<T> {
  readonly name: string;
  readonly value: T;
}

const STUB = "[a stub stands here]";
const LONE = "half a pair \ud83d and on";

export function testBodyWire(wire: BodyWire, examples: readonly Example<Json>[]): void {
  describe(`${wire.name}, a body like any other`, () => {
    for (const { name, value } of examples) {
      test(`${name}: writes what it read, and does not touch it`, () => {
        const before = JSON.stringify(value);
        expect(wire.write(wire.read(value))).toEqual(value);
        expect(JSON.stringify(value)).toBe(before);
      });

      test(`${name}: keeps its own order of keys, so that the bytes stay the same`, () => {
        expect(JSON.stringify(wire.write(wire.read(value)))).toBe(JSON.stringify(value));
      });

      test(`${name}: is recognised`, () => {
        const source = sourceOf(JSON.stringify(value));
        expect(detectWire(sampleFrom(source)).name).toBe(wire.name);
      });

      test(`${name}: an edited part is written, and nothing else changes`, () => {
        const original = wire.read(value);
        for (const [edited, place] of singleEdits(original)) {
          const again = wire.read(wire.write(edited));
          expect(neutral(again)).toEqual(neutral(edited));
          expect(place).toBeDefined();
        }
      });

      test(`${name}: unknown fields are carried`, () => {
        const strange = withStrangeFields(value);
        expect(wire.write(wire.read(strange))).toEqual(strange);
      });

      test(`${name}: every other body can say it, and calls and results survive the crossing`, () => {
        const original = wire.read(value);
        for (const other of bodyWires) {
          const crossed = other.read(other.write(original));
          expect(pairsIn(crossed), other.name).toEqual(pairsIn(original));
          expect(missing(wordsIn(original), wordsIn(crossed)), other.name).toEqual([]);
        }
      });
    }

    test("reads an empty body as an empty conversation", () => {
      expect(wire.read({}).messages).toEqual([]);
    });
  });
}

export function testSessionWire(wire: SessionWire, examples: readonly Example<string>[]): void {
  describe(`${wire.name}, a session file like any other`, () => {
    for (const { name, value } of examples) testSessionExample(wire, name, value);

    test("reads an empty file as an empty conversation", () => {
      expect(wire.read(sourceOf("")).whole.messages).toEqual([]);
    });
  });
}

function testSessionExample(wire: SessionWire, name: string, text: string): void {
  const isLines = parses(text.split("\n")[0] ?? "");

  test(`${name}: is recognised from its first few KB`, () => {
    expect(detectWire(sampleFrom(sourceOf(text))).name).toBe(wire.name);
  });

  test(`${name}: writes the bytes it read`, () => {
    const source = sourceOf(text);
    expect(written(wire, wire.read(source), source)).toBe(text);
  });

  test(`${name}: reads the same with a byte order mark and with CRLF, and writes both back`, () => {
    const plain = wire.read(sourceOf(text));
    const dressed = sourceOf(`\ufeff${text.replaceAll("\n", "\r\n")}`);
    const session = wire.read(dressed);
    expect(neutral(session.whole)).toEqual(neutral(plain.whole));
    expect(written(wire, session, dressed)).toBe(`\ufeff${text.replaceAll("\n", "\r\n")}`);
  });

  test(`${name}: seen and whole are both there, and nothing was skipped`, () => {
    const session = wire.read(sourceOf(text));
    expect(session.whole.messages.length).toBeGreaterThan(0);
    expect(session.seen.messages.length).toBeGreaterThan(0);
    expect(session.skipped).toEqual([]);
  });

  test(`${name}: an edited part changes its own record and no other, but for usage that no longer holds`, () => {
    const source = sourceOf(text);
    const session = wire.read(source);
    for (const [edited, place] of singleEdits(session.seen)) {
      const out = written(wire, session, source, edited);
      const again = wire.read(sourceOf(out));
      const index = Number(place.split(".")[0]);
      expect(neutral(withoutUsageBehind(again.seen, index))).toEqual(
        neutral(withoutUsageBehind(edited, index)),
      );
      if (!KEEPS_USAGE.has(wire.name))
        expect(again.seen.messages.slice(index + 1).filter(({ usage }) => usage)).toEqual([]);
      if (isLines) expect(differentLines(usageLess(text), usageLess(out))).toBeLessThanOrEqual(1);
    }
  });

  test(`${name}: lone surrogates survive`, () => {
    const source = sourceOf(text);
    const session = wire.read(source);
    const edit = singleEdits(session.seen, LONE)[0];
    if (!edit) return;
    const again = wire.read(sourceOf(written(wire, session, source, edit[0])));
    const index = Number(edit[1].split(".")[0]);
    expect(neutral(withoutUsageBehind(again.seen, index))).toEqual(
      neutral(withoutUsageBehind(edit[0], index)),
    );
  });

  testFolds(wire, name, text);
  if (isLines) testBrokenLines(wire, name, text);
}

/** Wires whose harness only ever adds to its file: so do we, and what was said is all still there. */
const APPENDING = new Set(["claude-code", "codex", "pi"]);

function testFolds(wire: SessionWire, name: string, text: string): void {
  const isAppending = APPENDING.has(wire.name);
  // pi's first version has no tree to add a branch to: it is brought to the second, as pi does itself.
  const isUpgraded = wire.name === "pi" && name.includes("version 1");

  for (const page of PAGES)
    test(`${name}: a folded conversation is written and read back as it was (${page.name})`, () => {
      const source = sourceOf(text);
      const session = wire.read(source);
      const next = fold(session.seen, page.messages);
      const out = written(wire, session, source, next);
      const again = wire.read(sourceOf(out));
      expect(neutral(again.seen)).toEqual(neutral(next));
      expect(again.skipped).toEqual([]);
      expect(detectWire(sampleFrom(sourceOf(out))).name).toBe(wire.name);
      expect(written(wire, session, source, next)).toBe(out);
      if (!isAppending) return;
      expect(isUpgraded || out.startsWith(text.trimEnd())).toBe(true);
      expect(neutral(again.whole)).toEqual(neutral(session.whole));
      expect(again.compactions).toHaveLength(session.compactions.length + 1);
    });

  test(`${name}: a folded conversation can be folded again`, () => {
    let file = text;
    for (const [round, page] of PAGES.entries()) {
      const source = sourceOf(file);
      const session = wire.read(source);
      const next = fold(session.seen, page.messages, `${round}`);
      file = written(wire, session, source, next);
      expect(neutral(wire.read(sourceOf(file)).seen)).toEqual(neutral(next));
    }
    if (isAppending)
      expect(neutral(wire.read(sourceOf(file)).whole)).toEqual(neutral(wire.read(sourceOf(text)).whole));
  });

  test(`${name}: the page of a fold is nobody's words`, () => {
    const source = sourceOf(text);
    const session = wire.read(source);
    const next = fold(session.seen, PAGES[0]?.messages ?? []);
    const { seen } = wire.read(sourceOf(written(wire, session, source, next)));
    const page = seen.messages
      .flatMap(({ parts }) => parts)
      .find((part) => part.type === "text" && part.text === PAGE);
    expect(page).toMatchObject({ synthetic: true });
  });
}

const PAGE = "# Summary\n\nWhat was done, and where it is kept: ref_0123456789ab";
const said = (role: Message["role"], words: string): Message => ({
  role,
  parts: [{ type: "text", text: words, synthetic: true }],
});
export const PAGES: readonly { readonly name: string; readonly messages: readonly Message[] }[] = [
  { name: "page after the user's messages", messages: [said("user", PAGE)] },
  { name: "page as the model's message", messages: [said("assistant", PAGE)] },
  { name: "page with an acknowledgement", messages: [said("user", PAGE), said("assistant", "Understood.")] },
];

/**
 * A real fold: steps of the first half leave, what users said there stays, the page comes behind the last that left;
 * in what is left, thinking goes and one result becomes a stub.
 */
export function fold(seen: Transcript, page: readonly Message[], mark = ""): Transcript {
  const half = Math.ceil(seen.messages.length / 2);
  const end = stepEnd(seen.messages, half);
  const stays = (message: Message) =>
    message.role === "system" || (hasUserWords(message) && message.role === "user");
  const kept = seen.messages.slice(0, end).filter(stays);
  const tail = seen.messages.slice(end).flatMap(withoutThinking);
  const stubbed = tail.findLastIndex(({ parts }) => parts.some((part) => part.type === "tool-result"));
  const messages = tail.map((message, index) =>
    index === stubbed ? { ...message, parts: message.parts.map((part) => stub(part, mark)) } : message,
  );
  return { ...seen, messages: [...kept, ...page, ...messages] };
}

/** The first place from `index` on where no call waits for its result. */
function stepEnd(messages: readonly Message[], index: number): number {
  const open = new Set<string>();
  for (const [place, { parts }] of messages.entries()) {
    if (place >= index && open.size === 0) return place;
    for (const part of parts) if (part.type === "tool-call") open.add(part.callId);
    for (const part of parts) if (part.type === "tool-result") open.delete(part.callId);
  }
  return messages.length;
}

function withoutThinking(message: Message): readonly Message[] {
  if (!message.parts.some((part) => part.type === "thinking")) return [message];
  const parts = message.parts.filter((part) => part.type !== "thinking");
  return parts.length === 0 ? [] : [{ ...message, parts }];
}

function stub(part: Part, mark: string): Part {
  return part.type === "tool-result" ? { ...part, output: [{ type: "text", text: `${STUB}${mark}` }] } : part;
}

function testBrokenLines(wire: SessionWire, name: string, text: string): void {
  const lines = text.trimEnd().split("\n");

  test(`${name}: a half-written last line is said, kept, and costs only itself`, () => {
    const cut = `${text.trimEnd()}\n{"type":"user","message":{"role":"us`;
    const source = sourceOf(cut);
    const session = wire.read(source);
    expect(neutral(session.whole)).toEqual(neutral(wire.read(sourceOf(text)).whole));
    expect(session.skipped).toEqual([
      expect.objectContaining({ line: lines.length + 1, why: "half-written last line" }),
    ]);
    expect(written(wire, session, source)).toBe(cut);
  });

  test(`${name}: a broken line in the middle is said, kept, and costs only itself`, () => {
    const broken = [...lines.slice(0, 1), "not json at all", ...lines.slice(1)].join("\n");
    const source = sourceOf(broken);
    const session = wire.read(source);
    expect(session.skipped).toEqual([expect.objectContaining({ line: 2, why: "not JSON" })]);
    expect(session.whole.messages.length).toBe(wire.read(sourceOf(text)).whole.messages.length);
    expect(written(wire, session, source)).toBe(broken);
  });

  test(`${name}: unknown records are carried`, () => {
    const strange = `${text.trimEnd()}\n{"type":"from-the-future","value":[1,{"a":null}]}\n`;
    const source = sourceOf(strange);
    expect(written(wire, wire.read(source), source)).toBe(strange);
  });

  test(`${name}: bytes that are not UTF-8 are said and kept`, () => {
    const bytes = Buffer.concat([
      Buffer.from(text),
      Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d, 0x0a]),
    ]);
    const source = sourceOf(bytes);
    const session = wire.read(source);
    expect(session.skipped).toEqual([expect.objectContaining({ why: expect.stringContaining("not UTF-8") })]);
    expect(Buffer.concat([...wire.write(session, source)]).equals(bytes)).toBe(true);
  });
}

/** The neutral fields alone: what two spellings of one conversation have in common. */
export function neutral(transcript: Transcript): Json {
  const drop = (key: string, value: unknown) => (key === "native" || key === "synthetic" ? undefined : value);
  return JSON.parse(
    JSON.stringify(
      transcript.messages.map(({ role, parts }) => ({ role, parts })),
      drop,
    ),
  );
}

export function written(wire: SessionWire, session: Session, source: Source, next?: Transcript): string {
  return Buffer.concat([...wire.write(session, source, next)]).toString("utf8");
}

/** The transcript with one text or one result replaced: the first, the middle and the last there is. */
function singleEdits(transcript: Transcript, text = STUB): readonly (readonly [Transcript, string])[] {
  const places = transcript.messages.flatMap((message, m) =>
    message.parts.flatMap((part, p) => (isEditable(part) ? [{ message, m, part, p }] : [])),
  );
  const chosen = [...new Set([0, Math.floor(places.length / 2), places.length - 1])];
  return chosen.flatMap((index) => {
    const place = places[index];
    if (!place) return [];
    const { message, m, part, p } = place;
    const edited: Message = { ...message, parts: message.parts.with(p, edit(part, text)) };
    return [[{ ...transcript, messages: transcript.messages.with(m, edited) }, `${m}.${p}`] as const];
  });
}

function isEditable(part: Part): boolean {
  return (part.type === "text" && part.text !== "") || part.type === "tool-result";
}

/** Trajectories of finished runs: nobody goes on from them, and usage stands in three places. */
const KEEPS_USAGE = new Set(["openhands"]);

/** What a prompt cost is not known any more once something before it was edited. */
function withoutUsageBehind(transcript: Transcript, index: number): Transcript {
  const messages = transcript.messages.map((message, place) => {
    const { usage, ...rest } = message;
    return place > index || usage === undefined ? rest : message;
  });
  return { ...transcript, messages };
}

/** The lines of a file, without the reports of usage in them. */
function usageLess(text: string): string {
  const isReport = (key: string) => ["usage", "tokens", "last_token_usage"].includes(key);
  return text
    .split("\n")
    .map((line) => {
      const record = parseJson(line);
      return record === undefined
        ? line
        : JSON.stringify(record, (key, value) => (isReport(key) ? undefined : value));
    })
    .join("\n");
}

function edit(part: Part, text: string): Part {
  if (part.type === "tool-result") return { ...part, output: [{ type: "text", text }] };
  return part.type === "text" ? { ...part, text } : part;
}

function pairsIn(transcript: Transcript): Json {
  return transcript.messages.flatMap((message) =>
    message.parts.flatMap((part): Json[] => {
      if (part.type === "tool-call") return [[part.callId, part.name]];
      if (part.type === "tool-result") return [[part.callId]];
      return [];
    }),
  );
}

function wordsIn(transcript: Transcript): readonly string[] {
  const parts = [...(transcript.system ?? []), ...transcript.messages.flatMap((message) => message.parts)];
  return parts
    .flatMap((part) => (part.type === "text" ? part.text.split("\n") : []))
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Lines that are not there, or not in their order. A wire may add a note for what it cannot hold. */
function missing(lines: readonly string[], among: readonly string[]): readonly string[] {
  let from = 0;
  return lines.filter((line) => {
    const found = among.indexOf(line, from);
    if (found >= 0) from = found + 1;
    return found < 0;
  });
}

function withStrangeFields(value: Json): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return { ...value, x_from_the_future: { nested: [1, 2, null] } };
}

function differentLines(before: string, after: string): number {
  const [a, b] = [before.split("\n"), after.split("\n")];
  return (
    Math.abs(a.length - b.length) +
    a.filter((line, index) => b[index] !== undefined && b[index] !== line).length
  );
}

function parses(line: string): boolean {
  try {
    return typeof JSON.parse(line) === "object";
  } catch {
    return false;
  }
}
