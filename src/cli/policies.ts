/** `palimpsest policies [show P]`: the policies there are, and one of them as the JSON it is. */
import { policies as all } from "../plan/policies.ts";
import { parseWords, usageError } from "./arguments.ts";
import { colorsFor, EXIT, type Io } from "./io.ts";
import type { Command } from "./main.ts";
import { DEFAULT_POLICY, policyOption } from "./policy-option.ts";
import { table } from "./table.ts";

const HELP = `palimpsest policies [show P] [--json]

The policies there are: what each clears, folds and keeps, in which order, with which
numbers. A policy is JSON; "show" prints one, and what it prints can be changed and given
back with --policy. { "extends": "palimpsest", … } says only what is different.

  --json      the list as data

Examples
  palimpsest policies
  palimpsest policies show palimpsest > mine.json
  palimpsest compact session.jsonl --policy ./mine.json
`;

const OPTIONS = { json: { type: "boolean" } } as const;

async function run(argv: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseWords(argv, OPTIONS, "policies");
  const [verb, name, ...rest] = positionals;
  if (verb === undefined) return list(values.json === true, io);
  if (verb !== "show" || rest.length > 0)
    throw usageError(`"${rest[0] ?? verb}" is not understood here.`, "policies");
  if (name === undefined) throw usageError("Which policy?", "policies");
  io.out(`${JSON.stringify(policyOption(name, io), null, 2)}\n`);
  return EXIT.done;
}

function list(isJson: boolean, io: Io): number {
  const colors = colorsFor(io);
  const rows = all.map(({ name, about, source }) => ({
    name,
    about,
    source,
    isDefault: name === DEFAULT_POLICY,
  }));
  const cells = rows.map(({ name, about, isDefault }) => [name, isDefault ? "default" : "", about]);
  const columns = [
    { align: "left", style: colors.bold },
    { align: "left", style: colors.dim },
    { align: "left" },
  ] as const;
  io.out(isJson ? `${JSON.stringify(rows, null, 2)}\n` : `${table(cells, columns).join("\n")}\n`);
  return EXIT.done;
}

export const policies: Command = {
  name: "policies",
  summary: "the policies there are; show P prints one as JSON",
  help: HELP,
  run,
};
