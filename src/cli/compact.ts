/** `palimpsest compact <session>`: a shorter context, and everything that left it kept. */
import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { PalimpsestError } from "../errors.ts";
import { policyNames } from "../plan/policies.ts";
import { memoryStore } from "../store/memory.ts";
import { openSpool } from "../store/spool.ts";
import type { Store } from "../store/store.ts";
import { bodyWireNamed, bodyWires, fileWireNamed, wireNames } from "../wire/wires.ts";
import { openWorkspace, type Workspace } from "../workspace.ts";
import { named, parseWords, positiveNumber, usageError, type Words, wholeNumber } from "./arguments.ts";
import { compactReport } from "./compact-report.ts";
import { compactSession, type Done, type Order } from "./compact-session.ts";
import { compactText } from "./compact-text.ts";
import { STORE_HELP, STORE_OPTION, storePath, withExistingStore, withStore } from "./home.ts";
import { EXIT, type Io } from "./io.ts";
import type { Command } from "./main.ts";
import { DEFAULT_POLICY, policyOption } from "./policy-option.ts";
import { stageProgress } from "./progress.ts";
import { sendable } from "./sendable.ts";
import { type Given, isFileWord, oneWord, readGivenFile, readGivenName } from "./session-argument.ts";
import { summarizerOption } from "./summarizer-option.ts";
import { writeOut } from "./write-out.ts";

const HELP = `palimpsest compact <session> [-o F] [--dry-run] [--json] [options]

Makes the context of a session shorter. What the user said stays word for word, the last
steps stay as they are; the rest gives way to a summary and refs, and every original is in
the store before anything is written. Nothing is sent anywhere unless --summarizer says so.

  <session>         a session file of any agent, a saved request body, - for standard input,
                    or the name of a session in the store, which goes on from where it stands
  -o, --out F       write the session again, in the wire it was read from; - is standard output
  --to W            write a request body instead: ${bodyWires.map(({ name }) => name).join(", ")}
  --dry-run         say what would be done, and do nothing
  --policy P        one of ${policyNames.length} (default: ${DEFAULT_POLICY}; "palimpsest policies" lists them), with
                    its options (pointerize:threshold=150), or a JSON file
  --window N        tokens the model takes (default: what the session says, else the model's)
  --target N        tokens to come down to (default: what the policy says)
  --focus T         what the summary should attend to
  --summarizer S    extractive (default, no model), command:<program>, or
                    model:anthropic/<model>, model:openai/<model>, model:openai-compatible/<model>
                    with ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENAI_BASE_URL from the environment;
                    live:… in place of model:… asks behind the request the session would send next,
                    which is cheap where the provider still has it cached
  --workspace DIR   the files the agent worked on: they are compared with what it last saw, and put
                    back where the policy does that; nothing outside DIR is looked at
  --cascade N       compact N times, as a session that keeps filling would be
  --wire W          do not guess whose file it is: ${wireNames.slice(0, 4).join(", ")}, …
${STORE_HELP}
  --json            { policy, tokensBefore, tokensAfter, ratio, messagesBefore, messagesAfter,
                    edits, summary, refs, elapsedMs, outcome, quality }

Examples
  palimpsest compact ~/.claude/projects/-home-me-app/3f2c….jsonl --dry-run
  palimpsest compact session.jsonl -o shorter.jsonl --focus "the failing migration"
  palimpsest compact session.jsonl --to openai-chat -o body.json --window 128k
  opencode export ses_… | palimpsest compact - -o - > shorter.json
`;

const OPTIONS = {
  ...STORE_OPTION,
  policy: { type: "string" },
  window: { type: "string" },
  target: { type: "string" },
  focus: { type: "string" },
  summarizer: { type: "string" },
  workspace: { type: "string" },
  cascade: { type: "string" },
  wire: { type: "string" },
  to: { type: "string" },
  out: { type: "string", short: "o" },
  "dry-run": { type: "boolean" },
  json: { type: "boolean" },
} as const;

type Values = Words<typeof OPTIONS>["values"];

async function run(argv: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseWords(argv, OPTIONS, "compact");
  const word = oneWord(positionals, "compact");
  refuseWrongWords(values);
  const order = orderOf(values, io);
  const path = storePath(io, values.store);
  const done = await inStore(word, { path, isDryRun: order.isDryRun }, async (store) => {
    const given = isFileWord(word) ? readGivenFile(word, io, values.wire) : await readGivenName(word, store);
    return compactSession(given, order, store);
  });
  const written =
    order.isDryRun || values.out === undefined
      ? done
      : await writeResult(done, values.out, { to: values.to, io });
  if (values.out === "-" && !order.isDryRun) return EXIT.done;
  const text = () => compactText(written, { storePath: path, out: values.out }, io);
  io.out(values.json ? `${JSON.stringify(compactReport(written), null, 2)}\n` : text());
  return EXIT.done;
}

function refuseWrongWords(values: Values): void {
  const { to, wire } = values;
  if (wire !== undefined) named(() => fileWireNamed(wire));
  if (to !== undefined) named(() => bodyWireNamed(to));
  if (to !== undefined && values.out === undefined)
    throw usageError("--to says how to write, -o says where; -o is missing.", "compact");
  if (values.out === "-" && values.json)
    throw usageError("-o - and --json both want standard output; take one.", "compact");
}

function orderOf(values: Values, io: Io): Order {
  const tokens = (option: "window" | "target") => {
    const text = values[option];
    return text === undefined ? undefined : positiveNumber(text, `--${option}`, "compact");
  };
  const [windowTokens, targetTokens] = [tokens("window"), tokens("target")];
  const cascade = wholeNumber(values.cascade ?? "1", "--cascade", "compact");
  if (cascade < 1 || cascade > 1000)
    throw usageError(`--cascade is from 1 to 1000; ${cascade} is not.`, "compact");
  return {
    policy: policyOption(values.policy, io),
    summarizer: summarizerOption(values.summarizer, io),
    cascade,
    isDryRun: values["dry-run"] === true,
    onStage: stageProgress(cascade, io),
    ...(windowTokens === undefined ? {} : { windowTokens }),
    ...(targetTokens === undefined ? {} : { targetTokens }),
    ...(values.focus === undefined ? {} : { focus: values.focus }),
    ...(values.workspace === undefined ? {} : { workspace: workspaceAt(values.workspace) }),
    spool: (sessionId) => openSpool(join(dirname(storePath(io, values.store)), "files", sessionId)),
  };
}

function workspaceAt(folder: string): Workspace {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return openWorkspace(resolve(folder));
  throw new PalimpsestError("unreadable", `There is no folder ${folder}.`);
}

interface Place {
  readonly path: string;
  readonly isDryRun: boolean;
}

/** A name needs the store it is in. A dry run of a file needs none, but looks whether the file was written from one. */
function inStore(
  word: string,
  { path, isDryRun }: Place,
  use: (store: Store) => Promise<Done>,
): Promise<Done> {
  if (!isFileWord(word)) return withExistingStore(path, use);
  return isDryRun && !existsSync(path) ? use(memoryStore()) : withStore(path, use);
}

interface Writing {
  readonly to: string | undefined;
  readonly io: Io;
}

async function writeResult(done: Done, out: string, { to, io }: Writing): Promise<Done> {
  const { given, after } = done;
  const wire = to === undefined ? undefined : bodyWireNamed(to);
  const { transcript, leftOut } = wire ? sendable(after) : { transcript: after, leftOut: [] };
  const body = wire?.write(transcript);
  const content = body === undefined ? fileContent(given, after) : `${JSON.stringify(body, null, 2)}\n`;
  if (out !== "-") await writeOut(out, content);
  else for (const chunk of typeof content === "string" ? [content] : content) io.out(chunk);
  // Some bodies join what one speaker says in a row: what is announced is what is there.
  return wire && body !== undefined
    ? { ...done, messagesWritten: wire.read(body).messages.length, leftOut }
    : done;
}

function fileContent({ session, source }: Given, after: Done["after"]): Iterable<Uint8Array> {
  const wire = fileWireNamed(session.wire);
  return after === session.seen ? wire.write(session, source) : wire.write(session, source, after);
}

export const compact: Command = {
  name: "compact",
  summary: "a shorter context; everything that leaves it is kept",
  help: HELP,
  run,
};
