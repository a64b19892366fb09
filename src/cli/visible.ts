/**
 * What a session calls things, for a terminal: names of models, tools and files are as hostile as any output, and a control
 * character in one must not act there (DESIGN §10).
 */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** One line that shows and does nothing else. */
export function visible(text: string): string {
  return text.replaceAll(CONTROLS, " ");
}

/** The same for every string in plain data. */
export function visibleData<T>(data: T): T {
  return JSON.parse(JSON.stringify(data), (_key, value: unknown) =>
    typeof value === "string" ? visible(value) : value,
  );
}
