/**
 * An inspection as one self-contained page: no script, no network, so it can be mailed and opened anywhere. Everything
 * that came from a session is escaped: tool output is hostile, and this is a place where it could act.
 */

import type { Inspection } from "../inspect.ts";
import { largest } from "../transcript/extremes.ts";
import { type ChartRow, chartsOf, headingOf, notesOf } from "./inspect-rows.ts";
import { count, percent } from "./table.ts";

const ROWS = 25;

export function inspectHtml(inspection: Inspection, name: string): string {
  const { title, lines } = headingOf(inspection);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(name)} · what fills the context</title>
<style>${STYLE}</style>
<main>
<header>
<h1>${escapeHtml(title)} <small>${escapeHtml(name)}</small></h1>
${lines.map((line) => `<p>${escapeHtml(line)}</p>`).join("\n")}
</header>
${kindStrip(inspection)}
${promptChart(inspection)}
${chartsOf(inspection)
  .map((chart) => chartSection(chart.title, chart.rows))
  .join("\n")}
${notesOf(inspection)
  .map((note) => noteSection(note.title, note.lines))
  .join("\n")}
<footer>Made by palimpsest inspect. ${escapeHtml(inspection.basisNote)}.</footer>
</main>
</html>
`;
}

/** All kinds side by side, as parts of one page. */
function kindStrip({ byKind, tokens }: Inspection): string {
  const pieces = byKind
    .filter((row) => row.tokens > 0)
    .map((row, index) => {
      const share = row.tokens / Math.max(1, tokens);
      return `<span style="flex:${row.tokens};background:${COLORS[index % COLORS.length]}" title="${escapeHtml(row.kind)}: ${count(row.tokens)} tokens, ${percent(share)}">${share > 0.07 ? escapeHtml(row.kind) : ""}</span>`;
    });
  return `<div class="strip">${pieces.join("")}</div>`;
}

const CHART = { width: 1000, height: 160 };

/** How the window filled and emptied, request by request. */
function promptChart({ prompts, context }: Inspection): string {
  if (prompts.length < 2) return "";
  const top = Math.max(context.windowTokens, largest(prompts.map(({ tokens }) => tokens)));
  const x = (index: number) => ((index / (prompts.length - 1)) * CHART.width).toFixed(1);
  const y = (tokens: number) => (CHART.height - (tokens / top) * CHART.height).toFixed(1);
  const points = prompts.map(({ tokens }, index) => `${x(index)},${y(tokens)}`).join(" ");
  return `<section><h2>Prompt size, request by request</h2>
<svg viewBox="0 0 ${CHART.width} ${CHART.height}" preserveAspectRatio="none" role="img" aria-label="Prompt tokens over ${prompts.length} requests">
<line x1="0" x2="${CHART.width}" y1="${y(context.windowTokens)}" y2="${y(context.windowTokens)}" class="window"/>
<polygon points="0,${CHART.height} ${points} ${CHART.width},${CHART.height}"/>
<polyline points="${points}"/>
</svg>
<p class="note">${count(prompts.length)} requests; the dashed line is the window of ${count(context.windowTokens)} tokens.</p></section>`;
}

function chartSection(title: string, rows: readonly ChartRow[]): string {
  if (rows.length === 0) return "";
  const most = Math.max(largest(rows.map(({ share }) => share)), 1e-9);
  const lines = rows
    .slice(0, ROWS)
    .map(
      ({ label, tokens, share, beside }) =>
        `<tr><th>${escapeHtml(label)}</th><td class="bar"><i style="width:${((share / most) * 100).toFixed(1)}%"></i></td><td>${percent(share)}</td><td>${count(tokens)}</td><td class="beside">${escapeHtml(beside)}</td></tr>`,
    );
  const more = rows.length > ROWS ? `<p class="note">and ${count(rows.length - ROWS)} more</p>` : "";
  return `<section><h2>${escapeHtml(title)}</h2><table>${lines.join("\n")}</table>${more}</section>`;
}

function noteSection(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return "";
  return `<section><h2>${escapeHtml(title)}</h2><ul>${lines.map((line) => `<li>${escapeHtml(line)}</li>`).join("\n")}</ul></section>`;
}

function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}

const COLORS = ["#2f6f8f", "#c2703d", "#5b8c5a", "#8a5a83", "#b59b3c", "#5f6caf", "#9c4a4a", "#6b7b83"];

const STYLE = `
:root{color-scheme:light dark;--ink:#1d2328;--dim:#69757e;--page:#fbfaf7;--line:#dfdbd2;--bar:#2f6f8f}
@media(prefers-color-scheme:dark){:root{--ink:#e4e2dc;--dim:#98a1a8;--page:#17191b;--line:#33383c;--bar:#5da2c4}}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 ui-sans-serif,system-ui,sans-serif}
main{max-width:1000px;margin:0 auto;padding:32px 20px 64px}
h1{font-size:24px;margin:0 0 8px}h1 small{font-weight:400;color:var(--dim);font-size:15px;overflow-wrap:anywhere}
h2{font-size:16px;margin:32px 0 8px}header p{margin:2px 0}
.strip{display:flex;height:36px;border-radius:6px;overflow:hidden;margin:20px 0 0}
.strip span{color:#fff;font-size:12px;line-height:36px;padding:0 6px;overflow:hidden;white-space:nowrap;min-width:0;box-sizing:border-box}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th{text-align:left;font-weight:500;min-width:5.5em;max-width:340px;overflow-wrap:anywhere;padding:3px 12px 3px 0}
td{text-align:right;padding:3px 8px;white-space:nowrap}td.bar{width:26%}td.bar i{display:block;height:12px;border-radius:2px;background:var(--bar);min-width:1px}
td.beside{text-align:left;color:var(--dim);white-space:normal;overflow-wrap:anywhere}tr{border-top:1px solid var(--line)}
svg{width:100%;height:160px;display:block}polyline{fill:none;stroke:var(--bar);stroke-width:2;vector-effect:non-scaling-stroke}
polygon{fill:var(--bar);opacity:.16}.window{stroke:var(--dim);stroke-dasharray:6 6;vector-effect:non-scaling-stroke}
.note,footer{color:var(--dim);font-size:13px}footer{margin-top:40px}ul{padding-left:20px}
`;
