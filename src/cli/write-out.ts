/** Files a command writes: whole or not at all, so that Ctrl-C or a full disk leaves what was there before. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { PalimpsestError } from "../errors.ts";

export function writeOut(path: string, content: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = openSync(temporary, "wx");
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new PalimpsestError(
      "unwritable",
      `Cannot write ${path}: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
}
