/**
 * The ref someone asks for, out of what they wrote: models copy refs with backticks, brackets, a `ref:` before or an
 * occurrence behind. Letters the alphabet leaves out are read as Crockford meant them: `o` is `0`, `i` and `l` are `1`.
 */
import type { Recall } from "./store/store.ts";
import { ToolRefusal } from "./tool-answer.ts";
import { isRef, type Ref } from "./transcript/ref.ts";

export function refAsked(asked: string): Ref | ToolRefusal | undefined {
  const text = asked.slice(0, 2000).toLowerCase();
  const written = [...text.matchAll(/(?<![a-z0-9])ref[_:\- ]+([0-9a-z]{12})(?![0-9a-z])/g)];
  const bare = /^[^a-z0-9]*([0-9a-z]{12})[^a-z0-9]*$/.exec(text);
  const found = [...written, ...(bare ? [bare] : [])].map(([, letters = ""]) => spelled(letters));
  const refs = [...new Set(found.filter(isRef))];
  if (refs.length > 1)
    return new ToolRefusal("bad-input", `Read one ref a call: ${refs.join(", ")} are several.`, {
      field: "ref",
    });
  return refs[0];
}

function spelled(letters: string): string {
  return `ref_${letters.replaceAll("o", "0").replaceAll(/[il]/g, "1")}`;
}

/** Each way a ref cannot be read, with what can be done instead. None gets better by trying again. */
export function cannotRecall(asked: string, recall: Exclude<Recall, { kind: "found" }>): ToolRefusal {
  const ref = asked.trim().slice(0, 80);
  switch (recall.kind) {
    case "foreign":
      return new ToolRefusal(
        "foreign-ref",
        `${ref} belongs to another session; this one reads only its own refs and those of its parent and its subagents. Get it from its source again if you need it.`,
        { ref },
      );
    case "expired":
      return new ToolRefusal(
        "expired-ref",
        `${ref} was removed on ${new Date(recall.at).toISOString().slice(0, 10)}, after its session had ended. It is gone for good: run the command or read the file again.`,
        { ref, at: recall.at },
      );
    case "unknown":
      return notKept(ref, recall.nearest);
  }
}

function notKept(ref: string, nearest: readonly string[]): ToolRefusal {
  const shaped = isRef(ref);
  const what = shaped
    ? `Nothing is kept as ${ref} in this session.`
    : `${JSON.stringify(ref)} is not a ref: a ref is "ref_" and 12 letters or digits.`;
  const instead =
    nearest.length > 0
      ? ` Did you mean ${nearest.join(" or ")}?`
      : " list_refs lists what there is; contains finds it by its words.";
  return new ToolRefusal(shaped ? "unknown-ref" : "mistyped-ref", `${what}${instead}`, { ref, nearest });
}
