/** The store of this machine, opened for one use, with the session in it. */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { storeFile } from "../home.ts";
import type { Store } from "../store/store.ts";

export interface Where {
  readonly sessionId: string;
  readonly cwd: string;
  /** Of a subagent: the session it works for, whose refs it reads and which reads its. */
  readonly parent?: string;
}

export async function openHostStore(): Promise<Store> {
  const { openSqliteStore } = await import("../store/sqlite.ts");
  const path = storeFile(process.env);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return openSqliteStore({ path });
}

export async function withStore<T>(where: Where, use: (store: Store) => Promise<T>): Promise<T> {
  const { sessionId, cwd } = where;
  const store = await openHostStore();
  try {
    // A session that goes on with the work of another, perhaps in another host, is its child and reads its refs.
    const parent = where.parent ?? process.env["PALIMPSEST_PARENT"];
    const facts = parent === undefined || parent === sessionId ? {} : { parent };
    await store.openSession({ id: sessionId, cwd, at: Date.now(), ...facts });
    return await use(store);
  } finally {
    await store.close();
  }
}
