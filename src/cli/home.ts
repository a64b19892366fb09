/** Where the store lives, and opening it. A command that only reads never makes one: looking is not writing. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PalimpsestError } from "../errors.ts";
import { storeFile } from "../home.ts";
import { openSqliteStore } from "../store/sqlite.ts";
import type { Store } from "../store/store.ts";
import type { Io } from "./io.ts";

export const STORE_OPTION = { store: { type: "string" } } as const;

export const STORE_HELP = `  --store DIR     where originals are kept (default: $PALIMPSEST_HOME, else ~/.palimpsest)`;

/** The file the store is; `--store` names its folder, or the file itself. */
export function storePath(io: Io, folder: string | undefined): string {
  if (folder?.endsWith(".db")) return folder;
  return folder === undefined ? storeFile(io.env) : join(folder, "store.db");
}

export async function withStore<T>(path: string, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await open(path);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

export async function withExistingStore<T>(path: string, use: (store: Store) => Promise<T>): Promise<T> {
  if (existsSync(path)) return withStore(path, use);
  throw new PalimpsestError(
    "unreadable",
    `There is no store at ${path} yet; "palimpsest compact" makes one.`,
  );
}

async function open(path: string): Promise<Store> {
  try {
    return await openSqliteStore({ path });
  } catch (error) {
    if (error instanceof PalimpsestError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new PalimpsestError("unwritable", `Cannot open the store at ${path}: ${why}.`);
  }
}
