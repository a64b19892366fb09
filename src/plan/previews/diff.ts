/** A diff: its files, how much changed in each, and where. */
interface FileDiff {
  readonly name: string;
  added: number;
  removed: number;
  readonly hunks: string[];
}

const MAX_HUNKS = 12;

export function diffPreview(text: string): string | undefined {
  if (!/^(diff --git |--- \S.*\n\+\+\+ )/m.test(text.slice(0, 20_000))) return undefined;
  const files = filesIn(text.split("\n"));
  if (files.length === 0) return undefined;
  const rows = files.map(({ name, added, removed, hunks }) => {
    const more = hunks.length > MAX_HUNKS ? `\n  … ${hunks.length - MAX_HUNKS} more hunks` : "";
    return `${name} +${added} −${removed}${hunks
      .slice(0, MAX_HUNKS)
      .map((hunk) => `\n  ${hunk}`)
      .join("")}${more}`;
  });
  return `Diff of ${files.length} ${files.length === 1 ? "file" : "files"}:\n${rows.join("\n")}`;
}

function filesIn(lines: readonly string[]): readonly FileDiff[] {
  const files: FileDiff[] = [];
  for (const line of lines) {
    const name = /^\+\+\+ (?:b\/)?(\S.*?)\t?$/.exec(line)?.[1];
    const file = files.at(-1);
    if (name !== undefined) files.push({ name, added: 0, removed: 0, hunks: [] });
    else if (!file || line.startsWith("--- ")) continue;
    else if (line.startsWith("@@")) file.hunks.push(line.slice(0, 120));
    else if (line.startsWith("+")) file.added += 1;
    else if (line.startsWith("-")) file.removed += 1;
  }
  return files;
}
