/** `palimpsest refs [contains]`: what left the context of a session, and where it is. */
import type { RefPage, RefQuery, SessionRow } from "../store/store.ts";
import { shorten, shortenMiddle } from "../transcript/describe.ts";
import type { Part } from "../transcript/message.ts";
import { parseWords, usageError, type Words, wholeNumber } from "./arguments.ts";
import { STORE_HELP, STORE_OPTION, storePath, withExistingStore } from "./home.ts";
import { colorsFor, EXIT, type Io } from "./io.ts";
import type { Command } from "./main.ts";
import { sessionMeant } from "./own-pages.ts";
import { latestSession } from "./session-argument.ts";
import { count, plural, table } from "./table.ts";

const KINDS: readonly Part["type"][] = [
  "text",
  "thinking",
  "tool-call",
  "tool-result",
  "image",
  "document",
  "opaque",
];
const LIMIT = 50;

const HELP = `palimpsest refs [contains] [--session S] [--kind K] [--limit N] [--store DIR] [--json]

The refs of a session: everything that left its context, with what it was and how large.

  [contains]      only those whose description or content has these words, best first
  --session S     whose refs, by name or by a file of it (default: the session used last)
  --kind K        ${KINDS.join(", ")}
  --limit N       at most this many (default: ${LIMIT})
${STORE_HELP}
  --json          { session, total, rows: [{ ref, kind, description, tokens, at }] }

Examples
  palimpsest refs
  palimpsest refs "ECONNREFUSED" --kind tool-result
  palimpsest refs --session 3f2c9a1e --json | jq -r '.rows[].ref'
`;

const OPTIONS = {
  ...STORE_OPTION,
  session: { type: "string" },
  kind: { type: "string" },
  limit: { type: "string" },
  json: { type: "boolean" },
} as const;

async function run(argv: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseWords(argv, OPTIONS, "refs");
  const query = queryOf(values, positionals);
  return withExistingStore(storePath(io, values.store), async (store) => {
    const { session: word } = values;
    const session = word === undefined ? await latestSession(store) : await sessionMeant(word, store, io);
    const page = await store.list(session.id, query);
    const data = { session: session.id, total: page.total, rows: page.rows };
    io.out(values.json ? `${JSON.stringify(data, null, 2)}\n` : refsText(session, page, io));
    return EXIT.done;
  });
}

function queryOf(values: Words<typeof OPTIONS>["values"], positionals: readonly string[]): RefQuery {
  const kind = KINDS.find((known) => known === values.kind);
  if (values.kind !== undefined && kind === undefined)
    throw usageError(`There is no kind "${values.kind}". Known: ${KINDS.join(", ")}.`, "refs");
  const contains = positionals.join(" ");
  return {
    limit: values.limit === undefined ? LIMIT : wholeNumber(values.limit, "--limit", "refs"),
    ...(kind === undefined ? {} : { kind }),
    ...(contains === "" ? {} : { contains }),
  };
}

function refsText(session: SessionRow, { rows, total }: RefPage, io: Io): string {
  const colors = colorsFor(io);
  // Whoever pipes this searches in it: there is no edge to wrap at, so nothing is left out.
  const room = io.isTerminal ? Math.max(30, io.columns - 44) : Number.MAX_SAFE_INTEGER;
  const cells = rows.map(({ ref, kind, tokens, description }) => [
    ref,
    kind,
    count(tokens),
    shortenMiddle(description, room),
  ]);
  const more = total - rows.length;
  return [
    `${colors.bold(shorten(session.id))}: ${plural(total, "ref")}${total === 0 ? "" : `; "palimpsest ref <ref>" reads one`}`,
    ...table(cells, [
      { align: "left", style: colors.cyan },
      { align: "left" },
      { align: "right" },
      { align: "left" },
    ]),
    ...(more > 0 ? [colors.dim(`and ${count(more)} more; --limit shows them`)] : []),
    "",
  ].join("\n");
}

export const refs: Command = {
  name: "refs",
  summary: "what left the context of a session, and where it is",
  help: HELP,
  run,
};
