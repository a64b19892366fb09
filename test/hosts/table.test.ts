import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { hosts, hostTable } from "../../src/hosts/host.ts";
import { ways } from "../../src/hosts/ways.ts";

const page = (path: string) => readFileSync(resolve(import.meta.dirname, "../..", path), "utf8");
/** As the formatter leaves it: columns padded. */
const unpadded = (text: string) => text.replaceAll(/ *\| */g, "|").replaceAll(/-{3,}/g, "---");

test("the documentation has the table the code goes by", () => {
  expect(unpadded(page("docs/hosts/README.md"))).toContain(unpadded(hostTable()));
});

test("every host has its page, names the version it was seen with, and is started by doctor", () => {
  for (const { name, seen } of hosts) {
    expect(page(`docs/hosts/${name}.md`), name).toContain(seen);
    expect(ways[name].readRef, name).toContain("read_ref");
  }
});
