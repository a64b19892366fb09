/** The arena's door: an order in, a report out. Only `src/cli/arena.ts` opens it. */
export { experimentsText, runExperiments } from "./experiments/run-experiments.ts";
export { modelReportOf, modelReportText } from "./model/model-report.ts";
export { openAsker } from "./model/open-asker.ts";
export { runModel } from "./model/run-model.ts";
export type { ArenaOrder } from "./order.ts";
export { reportHtml } from "./report/html.ts";
export { type Report, reportOf } from "./report/summary.ts";
export { reportText } from "./report/text.ts";
export { type ArenaRun, runArena } from "./run.ts";
