/** What the weights were fitted to. A piece that is told apart otherwise needs them fitted anew, not another number here. */
import { expect, test } from "vitest";
import { estimateTokens } from "../../src/measure/estimate.ts";

const long = "a".repeat(30);
const random = "k7".repeat(20);
const spaces = " ".repeat(100);
const lines = "\n".repeat(90);

test("fifty of each piece are counted as they were when the weights were fitted", () => {
  const texts =
    `word Word WORD HTTPServer2 a1b2c3d4 9f86d081884c 12345 ===== =#/+* ..... path/to/file.ts snake_case_name qwrtzp internationalization ${long} ${random} naïve 漢字と仮名 Привет 😀😀 ──── 1,234.56`.split(
      " ",
    );
  const spaced = [
    "x = y;\n",
    "  if (a) {\n",
    "\t\treturn;\n",
    "}\n\n\n",
    "-- -> ",
    " (x) ",
    "│ a │\n",
    "7 \n",
    "\0\u0001",
  ];
  const all = [
    ...texts,
    ...texts.map((text) => `${text} `),
    ...spaced,
    `${spaces}\n`,
    `${lines}x`,
    `\t${spaces}x`,
  ];
  const named = all.map((text) => [JSON.stringify(text).slice(0, 30), estimateTokens(text.repeat(50))]);
  expect(Object.fromEntries(named)).toMatchInlineSnapshot(`
    {
      ""                             ": 41,
      ""  if (a) {\\n"": 280,
      "" (x) "": 181,
      ""-- -> "": 115,
      ""..... "": 68,
      ""....."": 15,
      ""1,234.56 "": 309,
      ""1,234.56"": 202,
      ""12345 "": 162,
      ""12345"": 91,
      ""7 \\n"": 111,
      ""9f86d081884c "": 416,
      ""9f86d081884c"": 351,
      ""=#/+* "": 135,
      ""=#/+*"": 167,
      ""===== "": 68,
      ""====="": 15,
      ""HTTPServer2 "": 152,
      ""HTTPServer2"": 285,
      ""WORD "": 60,
      ""WORD"": 93,
      ""Word "": 59,
      ""Word"": 53,
      ""\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\": 97,
      ""\\t                           ": 97,
      ""\\t\\treturn;\\n"": 151,
      ""\\u0000\\u0001"": 129,
      ""a1b2c3d4 "": 400,
      ""a1b2c3d4"": 396,
      ""aaaaaaaaaaaaaaaaaaaaaaaaaaaaa": 221,
      ""internationalization "": 133,
      ""internationalization"": 512,
      ""k7k7k7k7k7k7k7k7k7k7k7k7k7k7k": 1983,
      ""naïve "": 109,
      ""naïve"": 84,
      ""path/to/file.ts "": 215,
      ""path/to/file.ts"": 171,
      ""qwrtzp "": 123,
      ""qwrtzp"": 148,
      ""snake_case_name "": 167,
      ""snake_case_name"": 153,
      ""word "": 57,
      ""word"": 96,
      ""x = y;\\n"": 176,
      ""}\\n\\n\\n"": 48,
      ""Привет "": 100,
      ""Привет"": 67,
      ""──── "": 75,
      ""────"": 13,
      ""│ a │\\n"": 224,
      ""漢字と仮名 "": 210,
      ""漢字と仮名"": 199,
      ""😀😀 "": 181,
      ""😀😀"": 180,
    }
  `);
});
