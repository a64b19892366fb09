/** The long task of issue 7 with every policy of the seeds: over 300 steps in a window of 32,000 tokens. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { extractive } from "../../src/index.ts";
import { serverFor } from "../testing/ask.ts";
import { agentOn, folder, of } from "./agents.ts";
import { addsLine, BUDGETS, FILES, isSummaryAsked, longTask, STEPS } from "./long-task.ts";

const WINDOW = 32_000;

const BY_MODEL: readonly string[] = ["nucleic", "ion"];

/** In files of their own for each seed, so that they run beside each other. */
export function testLongTask(...policies: readonly string[]): void {
  test.each(policies)(
    "%s: over 300 steps in 32,000 tokens, and no request was illegal",
    async (policy) => {
      const { script, asked } = longTask();
      const server = await serverFor(script, { windowTokens: WINDOW });
      const workspace = folder(FILES);
      const { agent, events } = await agentOn(server, {
        policy,
        workspace,
        windowTokens: WINDOW,
        budgets: BUDGETS,
        // Two of them with a model that writes the summaries; for the others that would only take time.
        ...(BY_MODEL.includes(policy) ? {} : { summarizer: extractive }),
      });

      const ending = await agent.run("Add a line for each step. Never delete a file.");

      expect(ending).toEqual({ kind: "done", text: `All ${STEPS} steps are done.` });
      // A summary that is asked for on a full context may not fit; then it is asked for with less. The work itself always fits.
      const refused = server.requests.filter(({ violations }) => violations.length > 0);
      expect(
        refused.filter((request) => !isSummaryAsked(request)).flatMap(({ violations }) => violations),
      ).toEqual([]);
      expect(
        refused.flatMap(({ violations }) => violations).filter(({ code }) => code !== "overflow"),
      ).toEqual([]);
      expect(of(events, "problem")).toEqual([]);
      expect(agent.spending.spent.turns).toBeGreaterThan(STEPS);
      // The work was done in the files, once each.
      const texts = Array.from({ length: 7 }, (_, part) =>
        readFileSync(join(workspace, `src/part-${part}.txt`), "utf8"),
      );
      const added =
        texts
          .join("")
          .match(/^line \d+$/gm)
          ?.toSorted() ?? [];
      const steps = Array.from({ length: STEPS }, (_, index) => index + 1).filter(addsLine);
      expect(added).toEqual(steps.map((step) => `line ${step}`).toSorted());
      // Much left, and all of it can be read.
      const { total, rows } = await agent.session.refs({ limit: 1_000 });
      expect(total).toBeGreaterThan(100);
      for (const { ref } of rows.filter((_, index) => index % 10 === 0))
        expect(await agent.session.tools.run("read_ref", { ref })).toMatchObject({ isError: false });
      if (policy === "opencode") expect(asked.notes).toBeGreaterThan(0);
      if (BY_MODEL.includes(policy)) expect(asked.summaries).toBeGreaterThan(0);
    },
    300_000,
  );
}
