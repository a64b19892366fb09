/**
 * How each provider counts what is not text, and how its tokenizer differs from o200k. All of it is a start: once a
 * session reports usage, calibration corrects the sum. Sources: the vendors' vision pages (2026-11), and for the
 * numbers marked "recorded", sessions with recorded usage (Claude Code, Codex, mini-swe-agent, Gemini CLI).
 */

import type { Size } from "./media.ts";
import { vendorOf } from "./models.ts";

export interface Rules {
  /** Tokens of this model for one o200k token of text; recorded. */
  readonly scale: number;
  /** What surrounds a message, a tool call and a result besides their text: roles, ids, tags; recorded. */
  readonly messageTokens: number;
  readonly callTokens: number;
  readonly resultTokens: number;
  readonly imageTokens: (size: Size) => number;
  /** For an image of which only a link or a file id is known: a full-screen screenshot. */
  readonly unknownImageTokens: number;
  readonly pageTokens: number;
  /**
   * What of a thought comes back in the next prompt. `whole`: all of it, shown or not. `none`: nothing; what is in the
   * file is a summary for people (recorded: in Codex, OpenCode and Gemini CLI prompts do not grow by it). `text`: what
   * is written, for want of knowing.
   */
  readonly thinking: "whole" | "text" | "none";
}

export function rulesFor(model: string | undefined): Rules {
  const name = model?.toLowerCase() ?? "";
  switch (vendorOf(model)) {
    case "anthropic":
      return hasNewClaudeTokenizer(name) ? NEW_CLAUDE : CLAUDE;
    case "openai":
      return /mini|nano/.test(name) && !/4o-mini/.test(name) ? OPENAI_PATCHES : OPENAI_TILES;
    case "google":
      return /gemini-([3-9]|\d\d)/.test(name) ? GEMINI_3 : GEMINI;
    default:
      return OTHER;
  }
}

/** Anthropic changed the tokenizer with Opus 4.7; what came later has the new one. */
function hasNewClaudeTokenizer(name: string): boolean {
  return /opus-4[-.][7-9]|(opus|sonnet|haiku|fable|mythos)-([5-9]|\d\d)(?!\d)/.test(name);
}

/** When a PDF does not say how many pages it has. */
export const UNKNOWN_PAGES = 10;
/** Characters a token in thoughts that were sealed away, so that only their length is known: English prose. */
export const CHARS_PER_HIDDEN_TOKEN = 4.4;

/**
 * Bytes of a Claude signature that are not the thought. A thought of n bytes has a signature of n + 175 bytes, on all of
 * the thousand recorded thoughts that are shown in full.
 */
export const SEAL_BYTES = 175;

const PLAIN = { messageTokens: 4, callTokens: 8, resultTokens: 8 } as const;

/** A pixel rule: scaled down until both the long edge and the tokens fit. */
function claudeImage(longEdge: number, maxTokens: number): Rules["imageTokens"] {
  return ({ width, height }) => {
    const shrink = Math.min(1, longEdge / Math.max(width, height));
    return Math.min(maxTokens, Math.ceil((width * height * shrink * shrink) / 750));
  };
}

const CLAUDE: Rules = {
  scale: 1.12,
  messageTokens: 4,
  callTokens: 45,
  resultTokens: 45,
  thinking: "whole",
  imageTokens: claudeImage(1568, 1600),
  unknownImageTokens: 1600,
  // A page is sent twice, as its text (1,500–3,000 tokens) and as an image.
  pageTokens: 3000,
};
const NEW_CLAUDE: Rules = {
  ...CLAUDE,
  scale: 1.6,
  imageTokens: claudeImage(2576, 4784),
  unknownImageTokens: 2500,
  pageTokens: 4500,
};

/** At most 2,048 on a side, then at most 768 on the short side, then tiles of 512. */
const OPENAI_TILES: Rules = {
  ...PLAIN,
  scale: 1,
  thinking: "none",
  imageTokens: (size) => {
    const fit = shrink(size, Math.min(1, 2048 / Math.max(size.width, size.height)));
    const { width, height } = shrink(fit, Math.min(1, 768 / Math.min(fit.width, fit.height)));
    return 85 + 170 * Math.ceil(width / 512) * Math.ceil(height / 512);
  },
  unknownImageTokens: 1105,
  pageTokens: 1500,
};
/** Patches of 32 pixels, at most 1,536 of them; small models charge them about 1.62-fold. */
const OPENAI_PATCHES: Rules = {
  ...OPENAI_TILES,
  imageTokens: ({ width, height }) =>
    Math.ceil(Math.min(1536, Math.ceil(width / 32) * Math.ceil(height / 32)) * 1.62),
  unknownImageTokens: 2488,
};

const GEMINI: Rules = {
  ...PLAIN,
  scale: 1.18,
  thinking: "none",
  imageTokens: ({ width, height }) => {
    if (width <= 384 && height <= 384) return 258;
    const unit = Math.max(256, Math.min(768, Math.floor(Math.min(width, height) / 1.5)));
    return 258 * Math.ceil(width / unit) * Math.ceil(height / unit);
  },
  unknownImageTokens: 1548,
  pageTokens: 258,
};
/** From Gemini 3 on an image is a fixed number of tokens at its default resolution. */
const GEMINI_3: Rules = { ...GEMINI, imageTokens: () => 1120, unknownImageTokens: 1120, pageTokens: 560 };

const OTHER: Rules = { ...OPENAI_TILES, thinking: "text", unknownImageTokens: 1600 };

function shrink({ width, height }: Size, by: number): Size {
  return { width: width * by, height: height * by };
}
