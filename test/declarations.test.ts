/** What an agent's author has the compiler read: our declarations as built, as strictly as it goes, with nothing of the SDKs. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const require = createRequire(import.meta.url);
const compiler = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc");
const folder = mkdtempSync(join(tmpdir(), "palimpsest-types-"));
afterAll(() => rmSync(folder, { recursive: true }));

const { exports }: { readonly exports: Readonly<Record<string, string | { readonly types: string }>> } =
  require("../package.json");
const entries = Object.entries(exports).flatMap(([name, entry]) =>
  typeof entry === "string" ? [] : [[`palimpsest${name.slice(1)}`, entry.types] as const],
);

/** As an agent has them: interfaces, which have no index signature, and lists the SDK may change. */
const LOOP = `
import { guardCall, modelSummarizer, openSession } from "palimpsest";
interface Block { type: "text"; text: string; cache_control?: Mark | null }
interface Mark { type: "ephemeral" }
interface MessageParam { role: "user" | "assistant"; content: string | Block[] }
interface Tool { name: string; description?: string; input_schema: { type: "object"; properties?: unknown; required?: string[] | null; [k: string]: unknown } }
interface Usage { input_tokens: number; output_tokens: number }
interface ToolUse { id: string; name: string; input: unknown }
declare function ask(request: { messages: MessageParam[]; tools: Tool[] }): Promise<{ usage?: Usage; stop_reason: "end_turn" | null; uses: ToolUse[] }>;
const session = await openSession({ model: "claude-sonnet-4-5" });
export async function loop(history: MessageParam[], system: Block[], tools: Tool[]): Promise<void> {
  const ours: Tool[] = session.tools.schemas.map(({ input, ...named }) => ({ ...named, input_schema: input }));
  const { messages } = await session.prepare(history, { system, tools });
  try {
    const { usage, stop_reason, uses } = await ask({ messages: [...messages], tools: [...tools, ...ours] });
    session.observe(usage, { stopReason: stop_reason });
    for (const use of uses) guardCall(use) ?? (await session.tools.run(use.name, use.input));
  } catch (error) {
    const shorter = await session.recover(error, history);
    if (!shorter) throw error;
    await ask({ messages: [...shorter.messages], tools });
  }
}
modelSummarizer({ model: { specificationVersion: "v3", provider: "p", modelId: "m", doGenerate: async () => ({}) } });
`;

test.each(["nodenext", "bundler"])(
  "every entry and a loop over an SDK's types compile by %s, skipLibCheck off",
  (way) => {
    const files = entries.map(
      ([name], index) => [`entry${index}.ts`, `export * from ${JSON.stringify(name)};`] as const,
    );
    for (const [name, text] of [...files, ["loop.ts", LOOP] as const])
      writeFileSync(join(folder, name), text);
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const options = {
      ...{
        target: "ES2022",
        lib: ["ES2023"],
        module: way === "bundler" ? "esnext" : way,
        moduleResolution: way,
      },
      ...{
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
      },
      ...{ noEmit: true, types: ["node"], typeRoots: [join(ROOT, "node_modules", "@types")] },
      paths: Object.fromEntries(entries.map(([name, types]) => [name, [join(ROOT, types)]])),
    };
    const config = { compilerOptions: options, files: [...files.map(([name]) => name), "loop.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const args = [compiler, "-p", folder, "--pretty", "false", "--listFilesOnly"];
    const read = execFileSync(process.execPath, args, { encoding: "utf8" });
    expect(
      read
        .split("\n")
        .filter((path) => /node_modules\/(?!@types|typescript|@typescript|undici-types)/.test(path)),
    ).toEqual([]);
    let said = "";
    try {
      execFileSync(process.execPath, args.slice(0, -1), { encoding: "utf8" });
    } catch (error) {
      said = String((error as { readonly stdout?: string }).stdout);
    }
    expect(said).toBe("");
  },
);
