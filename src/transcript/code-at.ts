/**
 * `text.charCodeAt(at)`, for loops over the characters of many texts. An engine holds strings in a dozen ways (one byte or
 * two, cut out of another, joined, known by name). Where more than four of them come by one place in the code, V8 looks the
 * method and the length up anew for every character, which costs several times what the character does: 17 ns instead of 5
 * for a scan of the bundled session's lines. Called this way there is nothing to look up; keep the length in a variable.
 */
const charCodeAt = String.prototype.charCodeAt;

export function codeAt(text: string, at: number): number {
  return charCodeAt.call(text, at);
}
