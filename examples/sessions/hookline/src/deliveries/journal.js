/**
 * What happened, one JSON line per event, appended. Another service copies it into the database; here it is only
 * written, and read once at the start.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

export function createJournal(file) {
  mkdirSync(dirname(file), { recursive: true });
  return {
    append: (event) => appendFileSync(file, `${JSON.stringify(event)}\n`),
    /** Events so far. A last line that was cut off by a crash is left out. */
    read() {
      if (!existsSync(file)) return [];
      const lines = readFileSync(file, "utf8").split("\n");
      return lines.flatMap((line) => {
        try {
          return line === "" ? [] : [JSON.parse(line)];
        } catch {
          return [];
        }
      });
    },
  };
}

export function createMemoryJournal(events = []) {
  return { append: (event) => events.push(event), read: () => events };
}
