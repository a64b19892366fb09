/** A tool with long answers, so that a short example fills a small window. */
export const about = {
  name: "look_up",
  description: "Everything the archive has on a year.",
  schema: { type: "object", properties: { year: { type: "integer" } }, required: ["year"] },
};

export function lookUp({ year }) {
  return Array.from(
    { length: 100 },
    (_, row) => `${year}, box ${row}: letter no. ${(year * 7919 + row * 104729) % 99991}`,
  ).join("\n");
}

export const QUESTION =
  "Go through the archive from 1901 on, year by year. Never skip a year. Which letter is in box 7 of 1901?";
