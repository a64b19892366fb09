import { expect, test } from "vitest";
import { memoryStore } from "../../src/store/memory.ts";
import { redacting, redactSecrets } from "../../src/store/redact.ts";
import type { Part } from "../../src/transcript/message.ts";
import { refOf } from "../../src/transcript/ref.ts";
import { bytesOf, linesOf, original, stubbing, text } from "../contracts/store.ts";
import { call, result } from "../say.ts";

/** Made up, and put together here so that no scanner takes them for real. */
const SECRETS: Readonly<Record<string, string>> = {
  "aws-key": `AKIA${"ABCDEFGHIJKLMNOP"}`,
  "github-token": `ghp_${"a1B2".repeat(9)}`,
  "slack-token": `xoxb-${"1234567890-abcdef"}`,
  "google-key": `AIza${"x".repeat(35)}`,
  "stripe-key": `sk_live_${"4eC39HqLyjWDarjtT1zdp7dc"}`,
  "anthropic-key": `sk-ant-${"api03-".repeat(5)}`,
  jwt: `eyJ${"hbGciOiJI"}.eyJ${"zdWIiOiIx"}.${"c2lnbmF0dXJl"}`,
  "private-key": `-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----`,
};

test.each(Object.entries(SECRETS))("%s is found, and what stands around it stays", (kind, secret) => {
  expect(redactSecrets(`before ${secret} after`)).toBe(`before [redacted:${kind}] after`);
});

test.each([
  ["api_key=0123456789abcdef;", "api_key=[redacted:secret];"],
  ['{"apiKey": "0123456789abcdef"}', '{"apiKey": "[redacted:secret]"}'],
  ['{\\"client_secret\\":\\"0123456789abcdef\\"}', '{\\"client_secret\\":\\"[redacted:secret]\\"}'],
  ["postgres://me:hunter22@db/x", "postgres://me:[redacted:password]@db/x"],
  ["Authorization: Bearer abcdefghijklmnopqrstuvwxyz", "Authorization: Bearer [redacted:bearer]"],
])("%s", (said, kept) => {
  expect(redactSecrets(said)).toBe(kept);
});

test.each([
  "the api key is documented below",
  "const token = getToken()",
  "password: short",
  "git show 4eC39HqLyjWDarjtT1zdp7dc",
])("%s is no secret", (said) => {
  expect(redactSecrets(said)).toBe(said);
});

test("nothing that is written holds the secret, and refs stay what they were", async () => {
  const inner = memoryStore();
  const store = redacting(inner, redactSecrets);
  const secret = SECRETS["github-token"] as string;
  const parts: readonly Part[] = [
    result("c", `export TOKEN=${secret}`),
    call("c", "Bash", { env: [{ value: secret }] }),
    { type: "image", source: { kind: "data", mediaType: "image/png", base64: secret } },
  ];
  await store.openSession({ id: "s", title: `about ${secret}`, at: 1 });
  await store.keep(
    "s",
    parts.slice(0, 2).map((part) => original(part, `Text: ${secret}`)),
  );
  await store.append("s", [{ ...stubbing(refOf(parts[0] as Part)), focus: secret }]);
  const file = Buffer.from(`{"a":"${secret}"}\n{"b":"é"}\n`);
  await store.keepSource("s", "pi", [file.subarray(0, 20), file.subarray(20)]);
  expect((await linesOf(inner.exportSession("s"))).join("\n")).not.toContain(secret);
  expect(await store.recall("s", refOf(parts[0] as Part))).toMatchObject({
    original: { part: result("c", "export TOKEN=[redacted:github-token]") },
  });
  const source = await store.source("s");
  expect(source && (await bytesOf(source.chunks())).toString()).toBe(
    '{"a":"[redacted:github-token]"}\n{"b":"é"}\n',
  );
  // Bytes that only look like text would break.
  await store.keep(
    "s",
    parts.slice(2).map((part) => original(part)),
  );
  expect(await store.recall("s", refOf(parts[2] as Part))).toMatchObject({ original: { part: parts[2] } });
});

test("keeping a redacted original twice is one, as for any other", async () => {
  const store = redacting(memoryStore(), redactSecrets);
  await store.openSession({ id: "s", at: 1 });
  const secret = text(`key ${SECRETS["aws-key"]}`);
  await store.keep("s", [original(secret)]);
  await store.keep("s", [original(secret)]);
  expect((await store.list("s", {})).total).toBe(1);
});
