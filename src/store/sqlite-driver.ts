/**
 * SQLite itself: `node:sqlite` where Node has it (22 and up), else `@photostructure/sqlite`, the same API as an addon for
 * Node 20. The only file that knows there are two. Loaded when a store is opened, never by importing the package.
 */
import { PalimpsestError } from "../errors.ts";

export type SqlValue = null | number | bigint | string | Uint8Array;

export interface Statement {
  run(...values: SqlValue[]): {
    readonly changes: number | bigint;
    readonly lastInsertRowid: number | bigint;
  };
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
}

export interface Database {
  readonly isTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

interface Driver {
  readonly DatabaseSync: new (path: string) => Database;
}

export async function openDatabase(path: string): Promise<Database> {
  const { DatabaseSync } = builtIn() ?? (await addOn());
  return new DatabaseSync(path);
}

/** `undefined` where Node has none, or one built without the full-text index we need. */
function builtIn(): Driver | undefined {
  const driver = withoutWarning(() => process.getBuiltinModule?.("node:sqlite")) as Driver | undefined;
  if (!driver) return undefined;
  try {
    const probe = new driver.DatabaseSync(":memory:");
    probe.exec("CREATE VIRTUAL TABLE probe USING fts5(said, content='', contentless_delete=1, detail=none)");
    probe.close();
    return driver;
  } catch {
    return undefined;
  }
}

async function addOn(): Promise<Driver> {
  try {
    return await import("@photostructure/sqlite");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PalimpsestError(
      "store",
      `The SQLite store needs Node 22.13 or the package @photostructure/sqlite, which cannot be loaded here: ${why}`,
    );
  }
}

/** Node warns once that its SQLite is experimental; on a hook's stderr that would reach the user at every turn. */
function withoutWarning<T>(load: () => T): T {
  const emit = process.emitWarning;
  process.emitWarning = (warning: string | Error, ...rest: never[]): void => {
    if (!String(warning).includes("SQLite")) Reflect.apply(emit, process, [warning, ...rest]);
  };
  try {
    return load();
  } finally {
    process.emitWarning = emit;
  }
}
