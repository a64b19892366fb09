import { resolve } from "node:path";
import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  // The arena knows the package by its public name; tests run it on the source.
  resolve: { alias: [{ find: /^palimpsest$/, replacement: resolve(import.meta.dirname, "src/index.ts") }] },
  test: { include: ["test/**/*.test.ts"], pool: "threads", testTimeout: 60_000 },
});

export default config;
