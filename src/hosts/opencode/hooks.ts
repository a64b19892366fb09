/** What our plugin inside OpenCode asks of a process on Node: the plugin is ours too, so question and answer are plain. */
import { callIn, type HookHost, type Moment } from "../hook-host.ts";

const MOMENTS: Readonly<Record<string, Moment>> = {
  "tool.execute.after": "after-tool",
  "session.compacting": "before-compaction",
};

export const opencodeHooks: HookHost = {
  name: "opencode",
  pageTokens: 6_000,
  moment: ({ event }) => MOMENTS[event],
  callOf: callIn,
  born(told) {
    const text = told.raw["tool_response"];
    return typeof text === "string" ? { call: callIn(told), text } : undefined;
  },
  shortened: (_, text) => ({ shown: text }),
  // The plugin asks the guard itself.
  refused: () => ({}),
  instructed: async (context, page) => ({ context, page: await page() }),
  injected: () => ({}),
};
