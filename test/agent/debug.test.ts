import { test } from "vitest";
import { serverFor } from "../testing/ask.ts";
import { agentOn, folder } from "./agents.ts";
import { scripted, BUDGETS, WINDOW } from "./long-task.test.ts";
test("debug", async () => {
  const { script } = scripted();
  const server = await serverFor(script, { windowTokens: WINDOW });
  const workspace = folder({ "src/part-0.txt": "begin\n", "AGENT.md": "You add lines." });
  const policy = process.env.POLICY ?? "palimpsest";
  const { agent } = await agentOn(server, { policy, workspace, windowTokens: WINDOW, budgets: BUDGETS,
    onEvent: (e) => { if (["compacted","notice","problem","ended"].includes(e.type)) console.log(agent?.spending.spent.turns, JSON.stringify(e)); } });
  const t = performance.now();
  const c = process.cpuUsage();
  await agent.run("Add a line for each step. Never delete a file.");
  const d = process.cpuUsage(c);
  console.log("ms", performance.now() - t, "cpu ms", (d.user+d.system)/1000, "steps", agent.spending.spent.turns);
}, 200000);
