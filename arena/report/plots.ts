/** Plots as SVG: nothing to load, nothing to run. Colours come from the page's style sheet, by series. */

export interface Series {
  readonly name: string;
  readonly values: readonly number[];
  /** 95 % intervals, where each value has one. */
  readonly spans?: readonly Span[];
  readonly isOurs?: boolean;
}

export interface Span {
  readonly low: number;
  readonly high: number;
}

const WIDTH = 560;
/** Grows with the names at its right edge. */
const LEAST_HEIGHT = 300;
const NAME = 11;
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
  const height = Math.max(LEAST_HEIGHT, series.length * NAME + TOP + BOTTOM);
  const longest = Math.max(2, ...series.map(({ values }) => values.length));
  const top = axes.isShare === true ? 1 : Math.max(1e-9, ...series.flatMap(({ values }) => values)) * 1.05;
  const x = (at: number, of: number) => LEFT + (at / Math.max(1, of - 1)) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => TOP + (1 - value / top) * (height - TOP - BOTTOM);
  const ends = spread(
    series.map(({ values }) => y(values.at(-1) ?? 0)),
    height,
  );
  const lines = series.map(({ name, values, spans = [], isOurs }, index) => {
    const points = values
      .map((value, at) => `${x(at, values.length).toFixed(1)},${y(value).toFixed(1)}`)
      .join(" ");
    // Beside each other, so that those of several opponents can be told apart.
    const whiskers = spans.map(({ low, high }, at) =>
      whisker(x(at, spans.length) + (index % COLORS) * 1.5, [y(low), y(high)], index),
    );
    const label = `<text class="label s${index % COLORS}" x="${WIDTH - RIGHT + 6}" y="${(ends[index] ?? 0) + 4}">${htmlText(name)}</text>`;
    return `<polyline class="line s${index % COLORS}${isOurs ? " ours" : ""}" points="${points}"/>${whiskers.join("")}${label}`;
  });
  const ticks = axes.tick ? xTicks({ count: longest, tick: axes.tick, x, height }) : "";
  return svg([frame(axes, top, height), ticks, ...lines].join(""), height);
}

function whisker(at: number, [from, to]: readonly [number, number], index: number): string {
  return `<line class="whisker s${index % COLORS}" x1="${at.toFixed(1)}" x2="${at.toFixed(1)}" y1="${from.toFixed(1)}" y2="${to.toFixed(1)}"/>`;
}

/** Names at the right edge, pushed apart so that each can be read. */
function spread(places: readonly number[], height: number): readonly number[] {
  const order = places.map((place, index) => ({ place, index })).sort((a, b) => a.place - b.place);
  const spreaded: number[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const { place, index } of order) {
    last = Math.max(place, last + NAME);
    spreaded[index] = last;
  }
  const over = Math.max(0, last - (height - BOTTOM + 10));
  return spreaded.map((place) => Math.max(TOP, place - over));
}

export const COLORS = 10;

export interface Dot {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  /** 95 % interval of x. */
  readonly span?: Span | undefined;
  readonly isOurs?: boolean;
}

export function dotPlot(dots: readonly Dot[], axes: Axes): string {
  const height = Math.max(LEAST_HEIGHT, dots.length * NAME + TOP + BOTTOM);
  const right = Math.ceil(Math.max(0.1, ...dots.map(({ x, span }) => span?.high ?? x)) * 5) / 5;
  const x = (value: number) => LEFT + (value / right) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => TOP + (1 - value) * (height - TOP - BOTTOM);
  const ends = spread(
    dots.map((dot) => y(dot.y)),
    height,
  );
  const shown = dots.map((dot, index) => {
    const [cx, cy] = [x(dot.x).toFixed(1), y(dot.y).toFixed(1)];
    const color = `s${index % COLORS}`;
    const span = dot.span
      ? `<line class="whisker ${color}" x1="${x(dot.span.low).toFixed(1)}" x2="${x(dot.span.high).toFixed(1)}" y1="${cy}" y2="${cy}"/>`
      : "";
    const at = ends[index] ?? 0;
    const lead = `<line class="lead" x1="${cx}" y1="${cy}" x2="${WIDTH - RIGHT + 2}" y2="${at.toFixed(1)}"/>`;
    const name = `<text class="label ${color}" x="${WIDTH - RIGHT + 6}" y="${(at + 4).toFixed(1)}">${htmlText(dot.name)}</text>`;
    return `${lead}${span}<circle class="dot ${color}" cx="${cx}" cy="${cy}" r="${dot.isOurs ? 6 : 4}"/>${name}`;
  });
  const ticks = Array.from({ length: Math.round(right * 5) + 1 }, (_, at) => at / 5).map(
    (value) =>
      `<text class="tick" text-anchor="middle" x="${x(value).toFixed(1)}" y="${height - BOTTOM + 14}">${value.toFixed(1)}</text>`,
  );
  return svg([frame({ ...axes, isShare: true }, 1, height), ...ticks, ...shown].join(""), height);
}

export interface Bar {
  readonly name: string;
  readonly parts: readonly { readonly kind: string; readonly share: number }[];
}

const ROW = 20;

export function barPlot(bars: readonly Bar[]): string {
  const height = bars.length * ROW + 8;
  const left = 150;
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

function frame({ x, y, isShare }: Axes, top: number, height: number): string {
  const lines = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const place = TOP + (1 - share) * (height - TOP - BOTTOM);
    const value = isShare ? (share * top).toFixed(2) : compactNumber(share * top);
    return `<line class="grid" x1="${LEFT}" x2="${WIDTH - 20}" y1="${place}" y2="${place}"/><text class="tick" text-anchor="end" x="${LEFT - 6}" y="${place + 4}">${value}</text>`;
  });
  return `${lines.join("")}<text class="axis" x="${LEFT}" y="${height - 4}">${htmlText(x)}</text><text class="axis" transform="translate(11 ${height - BOTTOM}) rotate(-90)">${htmlText(y)}</text>`;
}

interface Ticks {
  readonly count: number;
  readonly tick: (index: number) => string;
  readonly x: (at: number, of: number) => number;
  readonly height: number;
}

function xTicks({ count, tick, x, height }: Ticks): string {
  return Array.from(
    { length: count },
    (_, at) =>
      `<text class="tick" text-anchor="middle" x="${x(at, count).toFixed(1)}" y="${height - BOTTOM + 14}">${tick(at)}</text>`,
  ).join("");
}

function svg(inside: string, height: number): string {
  return `<svg viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">${inside}</svg>`;
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
