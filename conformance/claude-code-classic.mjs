/**
 * Claude Code before function hooks (2.1.197, what npm installs under Node 20), driven for real: a giant result, reading
 * back, the guard, an overflow it compacts by itself, going on, resuming.
 */
import {
  BIG,
  check,
  client,
  doctor,
  environment,
  holds,
  model,
  palimpsest,
  reading,
  refIn,
  remove,
  resultsIn,
  run,
  SMALL,
  scratch,
} from "./drive.mjs";

const READ = "mcp__palimpsest__read_ref";
const CALL = (input) => ({ calls: [{ name: READ, input }] });
const SUMMARY = "Your task is to create a detailed summary of the conversation so far";

export async function claudeCodeClassic() {
  const place = scratch("claude-classic");
  await palimpsest(["install", "claude-code"], place);
  const kept = { ref: "", small: "" };
  const [first, onward] = reading(
    CALL,
    () => kept.ref,
    (whole) => {
      kept.read = whole;
      return {
        calls: [{ name: "Write", input: { file_path: `${place.project}/copy.log`, content: kept.shown } }],
      };
    },
  );
  const [firstSmall, onwardSmall] = reading(
    CALL,
    () => kept.small,
    (whole) => {
      kept.smallRead = whole;
      return "done";
    },
  );
  const { server, seen } = await model({
    rules: [
      {
        tag: "compact",
        when: (_, text) => text.includes(SUMMARY),
        reply: () => "<analysis>a</analysis>\n<summary>\nTHE SUMMARY\n</summary>",
      },
    ],
    steps: [
      () => ({ calls: [{ name: "Bash", input: { command: "cat small.txt", description: "r" } }] }),
      () => ({ calls: [{ name: "Bash", input: { command: "cat big.log", description: "r" } }] }),
      (request) => {
        kept.shown = resultsIn(request).at(-1);
        kept.ref = refIn(kept.shown) ?? "ref_000000000000";
        return first();
      },
      onward,
      (request) => {
        kept.guarded = resultsIn(request).at(-1);
        return { fault: "overflow" };
      },
      (_, text) => {
        kept.after = text;
        kept.small = /(ref_[0-9a-hjkmnp-tv-z]{12}) \| File: small.txt/.exec(text)?.[1] ?? "ref_000000000000";
        return firstSmall();
      },
      onwardSmall,
    ],
  });
  const words = [
    "--output-format",
    "stream-json",
    "--verbose",
    "--model",
    "claude-sonnet-4-5",
    "--allowedTools",
    "Bash,Read,Write",
  ];
  const env = environment(place, {
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: "sk-ant-dummy",
    IS_SANDBOX: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  });
  const claude = (more) =>
    run(client("claude-classic", "claude"), [...more, ...words], { env, cwd: place.project });
  const ran = await claude(["-p", "read the logs; never touch the port 48213"]);
  await server.close();
  if (process.env.VERBOSE)
    console.log(
      ran.code,
      ran.err.slice(0, 2000),
      seen.map(({ tag }) => tag).join(),
      server.violations,
      JSON.stringify(kept, null, 1).slice(0, 6000),
    );

  check(
    "claude-code 2.1.197: the tools are in sight, not deferred",
    // Not in the first request by all means: this version does not wait for a server that starts slowly.
    seen.some(({ request }) => request.transcript.tools?.some(({ name }) => name === READ)),
  );
  check(
    "claude-code 2.1.197: a giant result is born as a preview with its ref",
    kept.shown?.includes("⟦ref_") === true && kept.shown.length < BIG.length / 4,
    kept.shown?.slice(0, 200),
  );
  check(
    "claude-code 2.1.197: the model reads it back byte for byte",
    kept.read?.trimEnd() === BIG.trimEnd(),
    kept.read?.slice(0, 300),
  );
  check(
    "claude-code 2.1.197: writing a stub into a file is refused",
    kept.guarded?.includes("the arguments contain a stub") === true,
    kept.guarded?.slice(0, 200),
  );
  const summarizer = seen.find(({ tag }) => tag === "compact")?.text ?? "";
  check(
    "claude-code 2.1.197: its summarizer is told what may not be left out",
    summarizer.includes("Do not leave out or reword any of these") &&
      summarizer.includes("never touch the port 48213"),
  );
  check(
    "claude-code 2.1.197: after the compaction the page is there",
    kept.after?.includes("Kept outside the context (palimpsest)") === true &&
      kept.after.includes("THE SUMMARY"),
  );
  check(
    "claude-code 2.1.197: a small result that left is read back byte for byte",
    kept.smallRead?.trimEnd() === SMALL.trimEnd(),
    kept.smallRead?.slice(0, 300),
  );
  holds(
    "claude-code 2.1.197: no request broke a provider's rule",
    server.violations.length === 0 && ran.code === 0,
    JSON.stringify(server.violations).slice(0, 300),
  );
  await resumed({
    place,
    kept,
    ran,
    claude: (env2, more) =>
      run(client("claude-classic", "claude"), [...more, ...words], {
        env: { ...env, ...env2 },
        cwd: place.project,
      }),
  });
  await doctor("claude-code", place, { folder: "claude-classic", env: { IS_SANDBOX: "1" } });
  remove(place);
}

async function resumed({ place, kept, ran, claude }) {
  const sessionId = /"session_id":"([^"]+)"/.exec(ran.out)?.[1] ?? "";
  let read;
  const { server } = await model({
    steps: reading(
      CALL,
      () => kept.ref,
      (whole) => {
        read = whole;
        return "done";
      },
    ),
  });
  await claude({ ANTHROPIC_BASE_URL: server.url }, ["-p", "go on", "--resume", sessionId]);
  await server.close();
  check(
    "claude-code 2.1.197: after a resume the ref still reads byte for byte",
    read?.trimEnd() === BIG.trimEnd(),
    read?.slice(0, 200),
  );
  const cli = await palimpsest(["ref", kept.ref, "--session", sessionId], place);
  check(
    "claude-code 2.1.197: the command line reads the same bytes",
    cli.out.trimEnd() === BIG.trimEnd(),
    cli.err || cli.out.slice(0, 100),
  );
}
