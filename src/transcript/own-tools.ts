/** Our own tools, as hosts call them: alone, or behind the name of a server (`mcp__palimpsest__read_ref`, `palimpsest_read_ref`). */
const OWN = /(?:^|__|[.:/]|palimpsest_)(read_ref|list_refs|search_refs|compact)$/;

export function isOwnTool(name: string): boolean {
  return OWN.test(name);
}

/** One that brings something back: what it answers was asked for, and is not taken away again at once. */
export function isRecall(name: string): boolean {
  const found = OWN.exec(name)?.[1];
  return found !== undefined && found !== "compact";
}
