/**
 * What every host is held to, through its own front door: a hook process, or a plugin as the host loads it. A new host is done
 * when its test calls this with a driver that speaks its shapes; the real client is driven in `conformance/`.
 */
import { describe, expect, test } from "vitest";
import { type HostName, hostNamed } from "../../src/hosts/host.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { resultText } from "../../src/transcript/message.ts";

/** One session of a host, with everything of ours in `home`. */
export interface HostDriver {
  /** The id of the session, as the host says it. */
  readonly session: string;
  /** A tool has answered: what the model is shown in its place; undefined where it is left alone. */
  born(text: string, tool?: string): Promise<string | undefined>;
  /** A tool is about to be called with this content: why not; undefined where it may. */
  guard(content: string): Promise<string | undefined>;
  /** What the user was told so far. */
  said(): string;
}

export interface HostSituation {
  /** Where everything of ours lives; one that cannot be made stands for a broken store. */
  readonly home: string;
  readonly isOff?: boolean;
}

const BIG: string = `${Array.from({ length: 3000 }, (_, index) => `${index} line "of" a log, ünï ${index * 7}`).join("\n")}\n`;
const STUB = "⟦ref_ysz3h89hw4zw File: big.log; 34223 tokens; too large to show whole. Use read_ref.⟧";
const refIn = (text: string) => /ref_[0-9a-hjkmnp-tv-z]{12}/.exec(text)?.[0] ?? "";

export function testHost(
  name: HostName,
  {
    open,
    fresh,
    readRef,
  }: {
    readonly open: (situation: HostSituation) => Promise<HostDriver>;
    readonly fresh: () => string;
    /** What the host calls our tool. */
    readonly readRef: string;
  },
): void {
  describe(`${name}, a host like any other`, () => {
    test("a giant result becomes a preview, and its ref reads back to the byte", async () => {
      const home = fresh();
      const driver = await open({ home });
      const shown = (await driver.born(BIG)) ?? "";
      expect(shown.length).toBeLessThan(BIG.length / 4);
      expect(await recalled(home, driver.session, refIn(shown))).toBe(BIG);
    });

    test("a small result, and what was just read back, are left alone", async () => {
      const driver = await open({ home: fresh() });
      expect([await driver.born("small"), await driver.born(BIG, readRef)]).toEqual([undefined, undefined]);
    });

    test("a stub is not written, and the way to the original is named; a ref alone may be", async () => {
      const driver = await open({ home: fresh() });
      expect(hostNamed(name)?.guards).toBe(true);
      expect(await driver.guard(STUB)).toContain('read_ref({ ref: "ref_ysz3h89hw4zw" })');
      expect(await driver.guard("see ref_ysz3h89hw4zw")).toBeUndefined();
    });

    test("a store that cannot be opened changes nothing, and is said once", async () => {
      const driver = await open({ home: "/dev/null/nowhere" });
      expect([await driver.born(BIG), await driver.born(BIG)]).toEqual([undefined, undefined]);
      expect(driver.said().match(/Everything goes through as it is/g)?.length).toBe(1);
    });

    test("switched off, nothing is shortened, refused or said", async () => {
      const driver = await open({ home: fresh(), isOff: true });
      expect([await driver.born(BIG), await driver.guard(STUB), driver.said()]).toEqual([
        undefined,
        undefined,
        "",
      ]);
    });
  });
}

async function recalled(home: string, session: string, ref: string): Promise<string | undefined> {
  const store = await openSqliteStore({ path: `${home}/store.db` });
  const recall = await store.recall(session, ref);
  await store.close();
  if (recall.kind !== "found" || recall.original.part.type !== "tool-result") return undefined;
  return resultText(recall.original.part);
}
