import { describe, expect, test } from "vitest";
import type { Part } from "../../src/transcript/message.ts";
import { addressedText, addressParts, isRef, refOf, withoutNative } from "../../src/transcript/ref.ts";
import { assistant, call, calls, gets, result, thinks, transcript, user } from "../say.ts";

const text = (value: string): Part => ({ type: "text", text: value });
const image = (base64: string): Part => ({
  type: "image",
  source: { kind: "data", mediaType: "image/png", base64 },
});

describe("a ref", () => {
  test("is made of content alone: the literal addresses that stand in users' stores", () => {
    expect(refOf(text("hello"))).toBe("ref_qv9x9wqrn67b");
    expect(refOf(call("any", "Read", { path: "a.ts", limit: 3 }))).toBe("ref_zcb6dc18td95");
    expect(refOf(result("any", "const a = 1;"))).toBe("ref_h33jdgz8ewg0");
    expect(refOf(thinks("look first", "sig"))).toBe("ref_kesjq750yf7e");
    expect(refOf({ type: "opaque", of: "anthropic", value: { type: "x" } })).toBe("ref_dnc4k8tttq2y");
  });

  test("survives regenerated ids, natives and the order of keys", () => {
    expect(refOf(call("a", "Read", { path: "x", limit: 1 }))).toBe(
      refOf(call("b", "Read", { limit: 1, path: "x" })),
    );
    expect(refOf(result("a", "text"))).toBe(refOf({ ...result("b", "text"), native: { line: 7 } }));
    expect(refOf({ type: "text", text: "hi", synthetic: true })).toBe(refOf(text("hi")));
  });

  test("is known of the part without its native, and so is the hash it was made of", () => {
    const part: Part = { ...result("a", "text"), native: { line: 7 } };
    const ref = refOf(part);
    const bare = withoutNative(part);
    expect(bare).toEqual(result("a", "text"));
    expect(refOf(bare)).toBe(ref);
    expect(addressedText(bare)).toBe(addressedText(part));
  });

  test("differs where content differs", () => {
    const parts: readonly Part[] = [
      text("a"),
      text("b"),
      text("a "),
      thinks("a"),
      thinks("a", "one seal"),
      thinks("a", "another"),
      { type: "thinking", text: "", encrypted: "a" },
      result("1", "a"),
      result("1", "a", true),
      call("1", "a", {}),
      call("1", "a", { a: null }),
      call("1", "a", []),
      image("a"),
      { type: "document", source: { kind: "data", mediaType: "image/png", base64: "a" } },
      { type: "opaque", of: "x", value: "a" },
      { type: "opaque", of: "y", value: "a" },
    ];
    expect(new Set(parts.map(refOf)).size).toBe(parts.length);
  });

  test("tells two broken strings apart that UTF-8 would make one", () => {
    expect(refOf(text("\ud83d"))).not.toBe(refOf(text("\ud83e")));
    expect(refOf(text("\ud83d"))).not.toBe(refOf(text("\ufffd")));
  });

  test("tells an image in a result from a text that spells it out", () => {
    const drawn: Part = { type: "tool-result", callId: "1", isError: false, output: [image("a") as never] };
    const spelled = JSON.stringify(["image", '{"base64":"a","kind":"data","mediaType":"image/png"}']);
    expect(refOf(drawn)).not.toBe(refOf(result("1", spelled)));
    expect(refOf(drawn)).not.toBe(refOf(result("1", JSON.stringify([spelled]))));
  });

  test("tells one text from the same text in two parts", () => {
    const parts = (...texts: readonly string[]): Part => ({
      type: "tool-result",
      callId: "1",
      isError: false,
      output: texts.map((value) => ({ type: "text", text: value })),
    });
    expect(refOf(parts("a", "b"))).not.toBe(refOf(parts("a\nb")));
    expect(refOf(parts("a", "b"))).not.toBe(refOf(parts("ab")));
  });

  test("can be told from other words", () => {
    expect(isRef(refOf(text("hello")))).toBe(true);
    for (const word of [
      "",
      "ref_",
      "ref_0123456789a",
      "ref_0123456789abc",
      "ref_0123456789ai",
      "REF_0123456789ab",
    ])
      expect(isRef(word), word).toBe(false);
  });
});

describe("addresses", () => {
  test("count occurrences of equal content, in the order of the conversation", () => {
    const addressed = addressParts(
      transcript(
        user("go"),
        calls("1", "Read"),
        gets("1", "text"),
        calls("2", "Read"),
        gets("2", "text"),
        user("go"),
      ),
    );
    expect(
      addressed.map(({ occurrence, messageIndex, partIndex }) => [messageIndex, partIndex, occurrence]),
    ).toEqual([
      [0, 0, 0],
      [1, 0, 0],
      [2, 0, 0],
      [3, 0, 1],
      [4, 0, 1],
      [5, 0, 1],
    ]);
    expect(addressed[0]?.ref).toBe(addressed[5]?.ref);
  });

  test("are the same for a conversation that was resent with new ids and times", () => {
    const told = (id: string, at: number) =>
      addressParts(transcript({ ...user("go"), at }, assistant("ok", call(id, "Read")), gets(id, "text")));
    const place = ({ ref, occurrence }: { ref: string; occurrence: number }) => [ref, occurrence];
    expect(told("a", 1).map(place)).toEqual(told("b", 2).map(place));
  });
});
