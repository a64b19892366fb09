/** The store of this machine, with the session in it. */
import { storeFile } from "../home.ts";
import type { SessionRow, Store } from "../store/store.ts";

export interface Where {
  readonly sessionId: string;
  readonly cwd: string;
  /** Of a subagent: the session it works for, whose refs it reads and which reads its. */
  readonly parent?: string;
}

export async function openHostStore(path: string = storeFile(process.env)): Promise<Store> {
  const { openSqliteStore } = await import("../store/sqlite.ts");
  return openSqliteStore({ path });
}

export async function withStore<T>(where: Where, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openHostStore();
  try {
    await enterSession(store, where);
    return await use(store);
  } finally {
    await store.close();
  }
}

/**
 * A session that goes on with the work of another, perhaps in another host, is its child and reads its refs: the user says so,
 * by `PALIMPSEST_PARENT`, because one session's originals are nobody else's by themselves.
 */
export async function enterSession(store: Store, { sessionId: id, cwd, parent }: Where): Promise<void> {
  const named = parent ?? process.env["PALIMPSEST_PARENT"];
  const found = named === "latest" ? await latestBeside(store, id, cwd) : named;
  const facts = found === undefined || found === id ? {} : { parent: found };
  await store.openSession({ id, cwd, at: Date.now(), ...facts });
}

/** The session of this folder that was used last when this one began; once it has a parent, that stays. */
async function latestBeside(store: Store, id: string, cwd: string): Promise<string | undefined> {
  const own = await store.session(id);
  if (own) return own.parent;
  const beside = (await store.sessions()).filter((session) => session.cwd === cwd);
  return beside.reduce<SessionRow | undefined>((a, b) => (a && a.usedAt >= b.usedAt ? a : b), undefined)?.id;
}
