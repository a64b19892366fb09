/** What a policy may want of its page, its counting and its files: each field read by something, seen from outside. */
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Compacted, type CompactOptions, compact } from "../../src/compact.ts";
import { policyNamed, readPolicy } from "../../src/plan/policies.ts";
import type { Policy } from "../../src/plan/policy.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { openSpool } from "../../src/store/spool.ts";
import type { Json } from "../../src/transcript/json.ts";
import type { Message, Transcript } from "../../src/transcript/message.ts";
import { openWorkspace } from "../../src/workspace.ts";
import { assistant, call, result, transcript, user } from "../say.ts";

const AT = Date.UTC(2026, 10, 18, 12);
const LONG = "The pool keeps forty connections open and closes none of them. ".repeat(40);

/** Everything but the last messages folds, into a page by the extractor. */
function policy(own: { readonly [field: string]: Json }): Policy {
  return readPolicy({
    extends: "nucleic",
    name: "mine",
    summary: { files: "sections", maxTokens: { share: 0.2 } },
    tail: { folds: "everything", headMessages: 0, minMessages: 1 },
    ...own,
  });
}

const conversation: Transcript = transcript(
  user("Make the pool of src/db.ts close its connections. Never touch the migrations."),
  said(1, assistant("I look at the file first.", call("1", "Read", { file_path: "src/db.ts" }))),
  said(2, user(result("1", `export const pool = 40;\n${LONG}`))),
  said(3, assistant("It never closes them.", call("2", "Read", { file_path: "src/pool.ts" }))),
  said(4, user(result("2", `export class Pool {}\n${LONG}`))),
  said(
    5,
    assistant(
      "Both are read.",
      call("3", "Edit", { file_path: "src/db.ts", old_string: "40", new_string: "10" }),
    ),
  ),
  said(6, user(result("3", "The file src/db.ts has been updated."))),
  said(7, assistant("I decided to close them in end(), because the driver has no timeout.")),
  user("Go on."),
);

function said(minute: number, message: Message): Message {
  return { ...message, at: AT + minute * 60_000 };
}

async function compacted(own: Policy, options: Partial<CompactOptions> = {}): Promise<Compacted> {
  const store = options.store ?? memoryStore();
  await store.openSession({ id: "s", at: AT });
  const outcome = await compact(conversation, {
    ...{ store, sessionId: "s", policy: own, trigger: "manual", at: AT, windowTokens: 20_000 },
    ...options,
  });
  if (outcome.kind !== "compacted") throw new Error(`${outcome.because}: ${outcome.detail}`);
  return outcome;
}

const pageIn = ({ compaction }: Compacted) => compaction.page?.text ?? "";

function workspace(): string {
  const root = mkdtempSync(join(tmpdir(), "palimpsest-workspace-"));
  mkdirSync(join(root, "src"));
  for (const [name, minutes] of [
    ["db.ts", 1],
    ["pool.ts", 600],
  ] as const) {
    const path = join(root, "src", name);
    writeFileSync(path, `// ${name} as it is now\n${LONG}`);
    const seconds = (AT + minutes * 60_000) / 1000;
    utimesSync(path, seconds, seconds);
  }
  return root;
}

test("headings of the policy's own hold our sections, each filled or marked empty", async () => {
  const sections = [
    { title: "Goal", of: ["Session Intent"] },
    { title: "Done", of: ["Files Modified", "Key Decisions"] },
    { title: "Blocked", of: ["Failed Approaches"] },
  ];
  const page = pageIn(await compacted(policy({ summary: { sections, files: "none" } })));
  expect(page).toMatch(/## Goal\n- .*close its connections/);
  expect(page).toMatch(/## Done\n- `src\/db.ts`.*\n- .*because the driver has no timeout/);
  expect(page).toContain("## Blocked\n(none)");
  expect(page).not.toContain("## Session Intent");
});

test("a summary may be written as elements", async () => {
  const sections = [{ title: "overall_goal", of: ["Session Intent"] }];
  const page = pageIn(
    await compacted(policy({ summary: { sections, element: "state_snapshot", files: "none" } })),
  );
  expect(page).toMatch(/<state_snapshot>\n<overall_goal>\n- .*\n<\/overall_goal>\n<\/state_snapshot>/);
});

test("a heading may hold every message of the user that folded, word for word", async () => {
  const sections = [{ title: "All user messages", of: [], holdsUserMessages: true }];
  const page = pageIn(await compacted(policy({ summary: { sections, files: "none" } })));
  expect(page).toContain(
    "## All user messages\n- Make the pool of src/db.ts close its connections. Never touch the migrations.",
  );
});

test("file lists as tags are cumulative: a file read is listed until it is modified", async () => {
  const page = pageIn(await compacted(policy({ summary: { files: "tags" } })));
  expect(page).toContain("<read-files>\nsrc/pool.ts\n</read-files>");
  expect(page).toContain("<modified-files>\nsrc/db.ts\n</modified-files>");
});

test("the newest messages that folded are quoted as text, up to their limit", async () => {
  const page = pageIn(await compacted(policy({ summary: { recent: { share: 0, atLeastTokens: 60 } } })));
  expect(page).toContain("## The newest messages, as text");
  expect(page).toContain("assistant: I decided to close them in end()");
  expect(page).not.toContain("I look at the file first.");
});

test("files are put back newest first, as they are on disk, each cut to its limit", async () => {
  const own = policy({ restore: { maxFiles: 5, maxTokensEach: 50, maxTokens: 1_000 } });
  const page = pageIn(await compacted(own, { workspace: openWorkspace(workspace()) }));
  const [db, pool] = [page.indexOf('<file path="src/db.ts">'), page.indexOf('<file path="src/pool.ts">')];
  expect(db).toBeGreaterThan(0);
  expect(pool).toBeGreaterThan(db);
  expect(page).toContain("// db.ts as it is now");
  expect(page).toContain("… (cut)\n</file>");
});

test("no more files are put back than the policy allows, and large ones only by name where it says so", async () => {
  const own = policy({ restore: { maxFiles: 1, maxTokensEach: 50, larger: "path" } });
  const page = pageIn(await compacted(own, { workspace: openWorkspace(workspace()) }));
  expect(page).toMatch(
    /<file path="src\/db.ts">\n\(\d+ tokens; read it again where it is needed\)\n<\/file>/,
  );
  expect(page).not.toContain('<file path="src/pool.ts">');
});

test("without a workspace a file comes back as the conversation last showed it", async () => {
  const page = pageIn(await compacted(policy({ restore: { maxFiles: 5, maxTokensEach: 100 } })));
  expect(page).toContain('<file path="src/pool.ts">\nexport class Pool {}');
  // It was edited after it was read: what was read is no longer what it is.
  expect(page).not.toContain('<file path="src/db.ts">');
});

test("nothing outside the workspace is read, not through a link either", async () => {
  const root = workspace();
  const secret = join(mkdtempSync(join(tmpdir(), "palimpsest-outside-")), "secret");
  writeFileSync(secret, "secret");
  symlinkSync(secret, join(root, "link"));
  const { read, stateOf } = openWorkspace(root);
  for (const path of ["link", "../secret", secret, "/etc/hostname", "src"])
    expect(await read(path)).toBeUndefined();
  expect(await stateOf("link")).toEqual({ kind: "outside" });
  expect(await stateOf("src/gone.ts")).toEqual({ kind: "missing" });
  expect(await read("src/db.ts")).toContain("// db.ts as it is now");
});

test("files that changed on disk since the model saw them are marked, in the default policy too", async () => {
  const { allocation, ...base } = policyNamed("palimpsest");
  if (!allocation) throw new Error("the default policy shares its target out");
  // A short conversation has a short page: all of it for the narrative, so that there is room for files read.
  const own = {
    ...base,
    allocation: { ...allocation, narrativeShare: 1 },
    safety: { ...base.safety, minFoldTokens: 0 },
  };
  const page = pageIn(
    await compacted(
      { ...own, tail: { folds: "steps", minSteps: 0 } },
      { workspace: openWorkspace(workspace()) },
    ),
  );
  expect(page).toMatch(/- `src\/pool.ts`.*\(changed on disk since\)/);
  expect(page).not.toMatch(/- `src\/db.ts`.*\(changed on disk since\)/);
});

test("a policy that counts characters fires and cuts by its own count, and reports by ours", async () => {
  const characters = { basis: "characters", charsPerToken: 0.75, counts: ["system", "call-inputs"] };
  const own = policy({ accounting: characters, trigger: { at: [{ share: 1 }] } });
  const usual = policy({ trigger: { at: [{ share: 1 }] } });
  const options = { trigger: "auto", windowTokens: 6_000 } as const;
  const { compaction } = await compacted(own, options);
  expect(compaction.tokensBefore).toBeLessThan(2_500);
  await expect(compacted(usual, options)).rejects.toThrow("nothing-to-do");
});

test("the transcript is saved as JSONL before the fold, owner-only, and the page says where", async () => {
  const spool = openSpool(join(mkdtempSync(join(tmpdir(), "palimpsest-spool-")), "s"));
  const own = policy({
    safety: { isTranscriptSaved: true },
    placement: { role: "user", opening: "Saved: {transcript}" },
  });
  const outcome = await compacted(own, { spool });
  const path = spool.transcriptPath("1");
  expect(pageIn(outcome)).toContain(`Saved: ${path}`);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).role)).toEqual(conversation.messages.map(({ role }) => role));
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a dry run writes no file, and what is committed later has them", async () => {
  const spool = openSpool(join(mkdtempSync(join(tmpdir(), "palimpsest-spool-")), "s"));
  const outcome = await compacted(policy({ safety: { isTranscriptSaved: true } }), { spool, isDryRun: true });
  expect(() => statSync(spool.directory)).toThrow();
  expect(outcome.files.map(({ path }) => path)).toEqual([spool.transcriptPath("1")]);
});

test("notes that last are written before the fold where the policy flushes", async () => {
  const spool = openSpool(join(mkdtempSync(join(tmpdir(), "palimpsest-spool-")), "s"));
  await compacted(policy({ continuation: { overflowRetries: 1, flush: "Write down what must last." } }), {
    spool,
  });
  expect(readFileSync(spool.notesPath, "utf8")).toContain("Never touch the migrations.");
});

test("a policy that asks for a model says so where the extractor stood in", async () => {
  const asked = await compacted(policy({ summary: { by: "fast-model" } }));
  expect(asked.notes[0]).toBe(
    "mine has a model write its summary; none is configured, so the extractor wrote it.",
  );
  const own = await compacted(policy({ summary: { by: "extractive" } }));
  expect(own.notes.join()).not.toContain("none is configured");
});

test("words after an automatic fold are said only in the middle of the work", async () => {
  const own = policy({
    continuation: { overflowRetries: 1, text: "Go on with the task." },
    trigger: { at: [{ share: 0.1 }] },
  });
  const idle = await compacted(own, { trigger: "auto", windowTokens: 6_000 });
  expect(pageIn(idle)).not.toContain("Go on with the task.");
});
