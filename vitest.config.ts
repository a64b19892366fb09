import { resolve } from "node:path";
import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  // The arena knows the package by its public name; tests run it on the source.
  resolve: { alias: [{ find: /^palimpsest$/, replacement: resolve(import.meta.dirname, "src/index.ts") }] },
  // Many tests start real processes and servers: on a busy CI machine one of them may be late once.
  test: {
    include: ["test/**/*.test.ts"],
    pool: "threads",
    testTimeout: 60_000,
    retry: process.env["CI"] === undefined ? 0 : 1,
  },
});

export default config;
