/** `palimpsest policies [show P]`: the policies there are, and one of them as the JSON it is. */
import { policies as all } from "../plan/policies.ts";
import type { Policy } from "../plan/policy.ts";
import { parseWords, usageError } from "./arguments.ts";
import { colorsFor, EXIT, type Io } from "./io.ts";
import type { Command } from "./main.ts";
import { notedJson } from "./noted-json.ts";
import { DEFAULT_POLICY, policyOption } from "./policy-option.ts";
import { table } from "./table.ts";

const HELP = `palimpsest policies [show P] [--json]

The policies there are: what each clears, folds and keeps, in which order, with which
numbers. A policy is JSON; "show" prints one, with a comment on where each number comes
from, and what it prints can be changed and given back with --policy.
{ "extends": "palimpsest", … } says only what is different.

Some have options, which are part of the name: pointerize:threshold=150:format=opaque

  --json      as data: the list, or with "show" the policy without comments

Examples
  palimpsest policies
  palimpsest policies show ion
  palimpsest policies show palimpsest > mine.json
  palimpsest compact session.jsonl --policy ./mine.json
`;

const OPTIONS = { json: { type: "boolean" } } as const;

async function run(argv: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseWords(argv, OPTIONS, "policies");
  const [verb, name, ...rest] = positionals;
  const isJson = values.json === true;
  if (verb === undefined) return list(isJson, io);
  if (verb !== "show" || rest.length > 0)
    throw usageError(`"${rest[0] ?? verb}" is not understood here.`, "policies");
  if (name === undefined) throw usageError("Which policy?", "policies");
  const policy = policyOption(name, io);
  io.out(isJson ? `${JSON.stringify(policy, null, 2)}\n` : notedJson(policy));
  return EXIT.done;
}

function list(isJson: boolean, io: Io): number {
  const colors = colorsFor(io);
  const rows = all.map(({ name, about, source, options = {} }) => ({
    name,
    about,
    source,
    options: Object.fromEntries(
      Object.entries(options).map(([option, { values }]) => [option, Object.keys(values)]),
    ),
    isDefault: name === DEFAULT_POLICY,
  }));
  const columns = [
    { align: "left", style: colors.bold },
    { align: "left", style: colors.dim },
    { align: "left" },
  ] as const;
  const text = () => [...table(all.flatMap(cellsOf), columns), ""].join("\n");
  io.out(isJson ? `${JSON.stringify(rows, null, 2)}\n` : text());
  return EXIT.done;
}

/** What it does, and under it where it comes from and which options it has. */
function cellsOf({ name, about, source, options = {} }: Policy): readonly (readonly string[])[] {
  const variants = Object.entries(options).map(
    ([option, { values }]) => `${option}=${Object.keys(values).join("|")}`,
  );
  return [
    [name, name === DEFAULT_POLICY ? "default" : "", about],
    ["", "", `  from ${source ?? "its author"}`],
    ...(variants.length === 0 ? [] : [["", "", `  options ${variants.join(" ")}`]]),
  ];
}

export const policies: Command = {
  name: "policies",
  summary: "the policies there are; show P prints one as JSON",
  help: HELP,
  run,
};
