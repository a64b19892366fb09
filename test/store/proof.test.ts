/** What proves an original when it is read: of every bit of it, and of what is handed out. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sha256Of } from "../../src/store/blobs.ts";
import { bytesOfPart } from "../../src/store/part-bytes.ts";
import { OF_BYTES, OF_CONTENT, proofOf, provenPart } from "../../src/store/proof.ts";
import type { Part } from "../../src/transcript/message.ts";
import { refOf } from "../../src/transcript/ref.ts";
import { text } from "../contracts/store.ts";
import { call, result, thinks } from "../say.ts";

const PARTS: readonly Part[] = [
  text("é → 😀, a \ufffd of its own, a NUL \u0000"),
  text(""),
  text("a lone \ud800"),
  // Nothing a ref is made of.
  { type: "text", text: "said by the harness", synthetic: true },
  result("c", "output", true),
  call("c", "Read", { path: "a.ts" }),
  thinks("why", "seal"),
];

test("is, of a text, the hash of its JSON and of the digest its ref was cut from: literally, for it stands in users' stores", () => {
  const digest = createHash("sha256").update('["text","hello"]').digest();
  const literal = createHash("sha256").update('{"type":"text"}').update(digest).digest("hex");
  const part = text("hello");
  refOf(part);
  expect(proofOf(part, bytesOfPart(part))).toEqual({ proof: 1, sha256: Buffer.from(literal, "hex") });
  expect(literal).toBe("bd314cf61f98c02a72c026fac19f8399138b68bc963b6d7dc8f8af9fd67c591e");
});

test.each(PARTS)("no bit of %j can flip unnoticed, whichever kind of proof", (part) => {
  const bytes = Buffer.from(bytesOfPart(part));
  const unaddressed = proofOf({ ...part }, bytes);
  expect(unaddressed).toEqual({ proof: OF_BYTES, sha256: sha256Of(bytes) });
  refOf(part);
  const proofs = [unaddressed, proofOf(part, bytes)];
  const callId = part.type === "tool-call" || part.type === "tool-result" ? part.callId : undefined;
  for (const proof of proofs) {
    expect(provenPart(bytes, { ...proof, callId }, "It")).toEqual(part);
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Buffer.from(bytes);
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(() => provenPart(flipped, { ...proof, callId }, "It"), `bit ${bit}`).toThrow(/It is damaged/);
    }
  }
});

test("bytes that are gone, and a kind of proof from a later version, are damage", () => {
  const sha256 = sha256Of(bytesOfPart(text("a")));
  expect(() => provenPart(undefined, { sha256, proof: OF_CONTENT, callId: undefined }, "It")).toThrow(
    /damaged/,
  );
  expect(() => provenPart(bytesOfPart(text("a")), { sha256, proof: 2, callId: undefined }, "It")).toThrow(
    /damaged/,
  );
});

test("a part that was changed after it got its ref is proven as it is now", () => {
  const changes: readonly ((part: { text: string; output: object[]; isError: boolean }) => void)[] = [
    (part) => Object.assign(part.output[0] ?? {}, { text: "changed" }),
    (part) => Object.assign(part, { isError: true }),
    (part) => part.output.push({ type: "text", text: "one more" }),
  ];
  for (const change of changes) {
    const part = JSON.parse(JSON.stringify(result("c", "first")));
    refOf(part);
    change(part);
    const bytes = bytesOfPart(part);
    expect(provenPart(bytes, { ...proofOf(part, bytes), callId: "c" }, "It")).toEqual(part);
  }
});
