/** Plots as SVG: nothing to load, nothing to run. Colours come from the page's style sheet, by series. */

export interface Series {
  readonly name: string;
  readonly values: readonly number[];
  readonly isOurs?: boolean;
}

const WIDTH = 560;
const HEIGHT = 300;
const LEFT = 52;
const BOTTOM = 36;
const TOP = 14;
const RIGHT = 150;

export interface Axes {
  readonly x: string;
  readonly y: string;
  /** Label of the x value at an index. */
  readonly tick?: (index: number) => string;
  readonly isShare?: boolean;
}

export function linePlot(series: readonly Series[], axes: Axes): string {
  const longest = Math.max(2, ...series.map(({ values }) => values.length));
  const top = axes.isShare === true ? 1 : Math.max(1e-9, ...series.flatMap(({ values }) => values)) * 1.05;
  const x = (at: number, of: number) => LEFT + (at / Math.max(1, of - 1)) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM);
  const ends = spread(series.map(({ values }) => y(values.at(-1) ?? 0)));
  const lines = series.map(({ name, values, isOurs }, index) => {
    const points = values
      .map((value, at) => `${x(at, values.length).toFixed(1)},${y(value).toFixed(1)}`)
      .join(" ");
    const label = `<text class="label s${index % COLORS}" x="${WIDTH - RIGHT + 6}" y="${(ends[index] ?? 0) + 4}">${htmlText(name)}</text>`;
    return `<polyline class="line s${index % COLORS}${isOurs ? " ours" : ""}" points="${points}"/>${label}`;
  });
  const ticks = axes.tick ? xTicks(longest, axes.tick, x) : "";
  return svg([frame(axes, top), ticks, ...lines].join(""));
}

/** Names at the right edge, pushed apart so that each can be read. */
function spread(places: readonly number[]): readonly number[] {
  const order = places.map((place, index) => ({ place, index })).sort((a, b) => a.place - b.place);
  const spreaded: number[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const { place, index } of order) {
    last = Math.max(place, last + 11);
    spreaded[index] = last;
  }
  const over = Math.max(0, last - (HEIGHT - BOTTOM + 10));
  return spreaded.map((place) => Math.max(TOP, place - over));
}

export const COLORS = 10;

export interface Dot {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly isOurs?: boolean;
}

export function dotPlot(dots: readonly Dot[], axes: Axes): string {
  const right = Math.max(1e-9, ...dots.map(({ x }) => x)) * 1.08;
  const x = (value: number) => LEFT + (value / right) * (WIDTH - LEFT - 20);
  const y = (value: number) => TOP + (1 - value) * (HEIGHT - TOP - BOTTOM);
  const shown = dots.map((dot, index) => {
    const isRight = x(dot.x) > WIDTH - 140;
    const at = `x="${(x(dot.x) + (isRight ? -8 : 8)).toFixed(1)}" y="${(y(dot.y) + 4).toFixed(1)}"`;
    return `<circle class="dot s${index % COLORS}${dot.isOurs ? " ours" : ""}" cx="${x(dot.x).toFixed(1)}" cy="${y(dot.y).toFixed(1)}" r="${dot.isOurs ? 6 : 4}"/><text class="label s${index % COLORS}" text-anchor="${isRight ? "end" : "start"}" ${at}>${htmlText(dot.name)}</text>`;
  });
  const ticks = [0, 0.25, 0.5, 0.75, 1]
    .map(
      (share) =>
        `<text class="tick" text-anchor="middle" x="${x(share * right)}" y="${HEIGHT - BOTTOM + 14}">${(share * right).toFixed(2)}</text>`,
    )
    .join("");
  return svg([frame({ ...axes, isShare: true }, 1), ticks, ...shown].join(""));
}

export interface Bar {
  readonly name: string;
  readonly parts: readonly { readonly kind: string; readonly share: number }[];
}

const ROW = 20;

export function barPlot(bars: readonly Bar[]): string {
  const height = bars.length * ROW + 8;
  const left = 170;
  const rows = bars.map(({ name, parts }, index) => {
    let from = 0;
    const pieces = parts.map(({ kind, share }) => {
      const width = share * (WIDTH - left - 10);
      const piece = `<rect class="${kind}" x="${(left + from).toFixed(1)}" y="${index * ROW + 6}" width="${width.toFixed(1)}" height="14"><title>${htmlText(`${name}: ${kind} ${(share * 100).toFixed(1)} %`)}</title></rect>`;
      from += width;
      return piece;
    });
    return `<text class="name" text-anchor="end" x="${left - 8}" y="${index * ROW + 17}">${htmlText(name)}</text>${pieces.join("")}`;
  });
  return `<svg viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">${rows.join("")}</svg>`;
}

function frame({ x, y, isShare }: Axes, top: number): string {
  const lines = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const place = TOP + (1 - share) * (HEIGHT - TOP - BOTTOM);
    const value = isShare ? (share * top).toFixed(2) : compactNumber(share * top);
    return `<line class="grid" x1="${LEFT}" x2="${WIDTH - 20}" y1="${place}" y2="${place}"/><text class="tick" text-anchor="end" x="${LEFT - 6}" y="${place + 4}">${value}</text>`;
  });
  return `${lines.join("")}<text class="axis" x="${LEFT}" y="${HEIGHT - 4}">${htmlText(x)}</text><text class="axis" transform="translate(11 ${HEIGHT - BOTTOM}) rotate(-90)">${htmlText(y)}</text>`;
}

function xTicks(
  count: number,
  tick: (index: number) => string,
  x: (at: number, of: number) => number,
): string {
  return Array.from(
    { length: count },
    (_, at) =>
      `<text class="tick" text-anchor="middle" x="${x(at, count).toFixed(1)}" y="${HEIGHT - BOTTOM + 14}">${tick(at)}</text>`,
  ).join("");
}

function svg(inside: string): string {
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img">${inside}</svg>`;
}

function compactNumber(value: number): string {
  return value >= 1_000 ? `${Math.round(value / 1_000)}k` : value.toFixed(value < 10 ? 1 : 0);
}

/** Names come from files; on a page they are text and nothing else. */
export function htmlText(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
