/** How the page looks: on a phone and on a desk, by day and by night. */

/** One for each opponent, in turn: by day, and lighter by night. */
const SERIES: readonly (readonly [day: string, night: string])[] = [
  ["#0b7a53", "#34c08b"],
  ["#b45309", "#f0a04b"],
  ["#1d4ed8", "#7aa2ff"],
  ["#be185d", "#f472b6"],
  ["#6d28d9", "#b794f6"],
  ["#0e7490", "#4cc4de"],
  ["#a16207", "#d9b13b"],
  ["#b91c1c", "#f87171"],
  ["#4b5563", "#a8b0bc"],
  ["#4d7c0f", "#a3d25a"],
];

const seriesIn = (at: 0 | 1): string =>
  SERIES.map(
    (colors, index) =>
      `polyline.s${index},line.s${index}{stroke:${colors[at]}}circle.s${index},text.s${index}{fill:${colors[at]}}`,
  ).join("");

const FATES_BY_DAY =
  "rect.visible{fill:#0b7a53}rect.read1{fill:#3fa57c}rect.read2{fill:#7cc6a6}rect.read3{fill:#b5e0cd}rect.bare{fill:#d8c27a}rect.stored{fill:#d1d5db}rect.lost{fill:#6b7280}rect.wrong{fill:#b91c1c}";
const FATES_BY_NIGHT =
  "rect.visible{fill:#1fa070}rect.read1{fill:#5fbf97}rect.read2{fill:#93d4b8}rect.read3{fill:#c3e8d8}rect.bare{fill:#c9b05f}rect.stored{fill:#565e6a}rect.lost{fill:#343a44}rect.wrong{fill:#ef5350}";

export const STYLE: string = `
:root{color-scheme:light dark;--ink:#1f2328;--soft:#6b7280;--line:#e5e7eb;--paper:#fff}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1240px;margin:0 auto;padding:clamp(12px,3vw,24px)}h1{margin:0}h2{font-size:16px;margin:0}p{margin:4px 0 10px;color:var(--soft);font-size:13px;overflow-wrap:anywhere}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,560px),1fr));gap:28px 32px;margin:20px 0}.plots section{min-width:0}
svg{max-width:100%;height:auto}pre{overflow-x:auto;font-size:11px;line-height:1.4;border-top:1px solid var(--line);padding-top:12px}
.lead-in{max-width:920px;font-size:14px}.legend{font-size:11px}.legend span{white-space:nowrap;margin-right:10px}.legend svg{vertical-align:-1px}
.whisker{stroke-width:1.2;opacity:.55}.lead{stroke:var(--line)}.grid{stroke:var(--line)}.tick,.axis{fill:var(--soft);font-size:11px}.label{font-size:11px}.name{fill:var(--ink);font-size:11px}
.line{fill:none;stroke-width:1.5}.line.ours{stroke-width:3.5}
${seriesIn(0)}${FATES_BY_DAY}
@media(prefers-color-scheme:dark){:root{--ink:#e6e6e6;--soft:#9aa3af;--line:#333a44;--paper:#14171b}${seriesIn(1)}${FATES_BY_NIGHT}}
`;
