/** Seed 004's metrics of a compaction, a line each. */
import type { Quality } from "../quality.ts";
import type { Colors } from "./io.ts";
import { count, percent, plural, table } from "./table.ts";

export function qualityLines(quality: Quality, colors: Colors): readonly string[] {
  const rows = [
    ["compression ratio", ratioText(quality)],
    ["cache hit rate", cacheText(quality)],
    ["failed approaches", failuresText(quality)],
    ["summary", sectionsText(quality)],
    ["task continuation", `not without a model; ${LAST_REQUEST[quality.taskContinuation.lastRequest]}`],
  ];
  return table(rows, [{ align: "left" }, { align: "left", style: colors.dim }]);
}

const LAST_REQUEST: Readonly<Record<Quality["taskContinuation"]["lastRequest"], string>> = {
  verbatim: "the last request stands word for word",
  quoted: "the last request is quoted on the page",
  gone: "the last request is no longer there in the user's words",
  none: "the user asked for nothing",
};

function ratioText({ compressionRatio, replaced }: Quality): string {
  const touched = replaced
    ? `; of what was replaced ${replaced.ratio} × (${count(replaced.tokensBefore)} → ${count(replaced.tokensAfter)})`
    : "";
  return `${compressionRatio} × of the whole prompt${touched}`;
}

function cacheText({ cacheHitRate: { recorded, keptPrefix } }: Quality): string {
  const was = recorded === null ? "no usage recorded" : `${percent(recorded)} in the recorded requests`;
  return `${was}; of the next prompt ${percent(keptPrefix)} begin it as before`;
}

function failuresText({ failedApproaches: { found, kept } }: Quality): string {
  return found === 0 ? "none found in the conversation" : `${count(kept)} of ${count(found)} kept in sight`;
}

function sectionsText({ sections }: Quality): string {
  if (sections === null) return "the policy wrote none";
  const { filled, empty, missing } = sections;
  const asked = plural(filled.length + empty.length + missing.length, "section");
  const told = (names: readonly string[], what: string) =>
    names.length === 0 ? [] : [`${count(names.length)} ${what} (${names.join(", ")})`];
  return [
    `${asked}: ${count(filled.length)} filled`,
    ...told(empty, "marked empty"),
    ...told(missing, "missing"),
  ].join(", ");
}
