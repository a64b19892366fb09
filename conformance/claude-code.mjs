/**
 * Claude Code with function hooks, driven for real: a giant result, reading back, the guard, an overflow
 * whose compaction is ours, going on, resuming, a second compaction by command, a subagent, and a store that breaks.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
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
  remove,
  resultsIn,
  run,
  scratch,
} from "./drive.mjs";
import { checkFirst, checkRules, firstSession, isWhole, WORDS } from "./scenario.mjs";

const READ = "mcp__palimpsest__read_ref";
const CALL = (input) => ({ calls: [{ name: READ, input }] });
const bash = (...commands) => ({
  calls: commands.map((command) => ({ name: "Bash", input: { command, description: "r" } })),
});
/** Its own summarizer: asked only where ours is off. */
const SUMMARIZER = {
  tag: "compact",
  when: (_, text) => text.includes("Your task is to create a detailed summary of the conversation so far"),
  reply: () => "<analysis>a</analysis>\n<summary>\nTHE SUMMARY\n</summary>",
};
/** As it begins, in JSON: the ref table may name an earlier one. */
const PAGE = "# Earlier work, folded\\n\\nEverything the assistant";

/** Steps of some 4,000 tokens: thinking before some, two calls at once in others. */
const filling = (from, count) =>
  Array.from({ length: count }, (_, index) => from + index).map((number) => () => ({
    ...(number % 3 === 0 ? { thinking: `What does ${number} say?` } : {}),
    ...bash(fill(number), ...(number % 4 === 1 ? [`echo beside ${number}`] : [])),
  }));
const fill = (number) => `seq ${number}0001 ${number}1200`;
const printed = (number) => `${number}0001\\n${number}0002\\n`;

export async function claudeCode() {
  const place = scratch("claude");
  const claude = await installed(place);
  const { ran, kept } = await overflowing(place, claude);
  const sessionId = /"session_id":"([^"]+)"/.exec(ran.out)?.[1] ?? "";
  await resumed(claude, kept, sessionId);
  await compactedAgain(place, claude, kept, sessionId);
  await inSubagent(claude);
  await broken(place, claude);
  await doctor("claude-code", place, { folder: "claude", env: { IS_SANDBOX: "1" } });
  remove(place);
}

async function installed(place) {
  // A hook of the user's own, as many have one: to save something before it is gone.
  const command = `echo asked >> "${join(place.project, "precompact.log")}"`;
  const hooks = { PreCompact: [{ hooks: [{ type: "command", command }] }] };
  mkdirSync(join(place.home, ".claude"));
  writeFileSync(join(place.home, ".claude/settings.json"), JSON.stringify({ hooks }));
  const path = `${dirname(client("claude", "claude"))}:${environment(place).PATH}`;
  await palimpsest(["install", "claude-code"], place, { PATH: path });
  const words = [
    ...["--output-format", "stream-json", "--verbose", "--model", "claude-sonnet-4-5"],
    ...["--allowedTools", "Bash,Read,Write,Agent"],
  ];
  return (url, more, env = {}) =>
    run(client("claude", "claude"), [...more, ...words], {
      cwd: place.project,
      env: environment(place, {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: "sk-ant-dummy",
        IS_SANDBOX: "1",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
        ...env,
      }),
    });
}

async function overflowing(place, claude) {
  const write = (content) => ({
    calls: [{ name: "Write", input: { file_path: `${place.project}/copy.log`, content } }],
  });
  const full = { fault: "overflow" };
  const { kept, steps } = firstSession({ shell: bash, call: CALL, write, full, between: failing });
  const [look, ...rest] = steps;
  const thinking = () => ({ thinking: "First I look.", ...look() });
  const { server, seen } = await model({ rules: [SUMMARIZER], steps: [thinking, ...rest] });
  const ran = await claude(server.url, ["-p", WORDS]);
  await server.close();
  check(
    "claude-code: the tools are in sight, not deferred",
    seen[0]?.request.transcript.tools?.some(({ name }) => name === READ) === true,
  );
  checkFirst("claude-code", { kept, server, ran, seen });
  // Claude Code itself keeps both ends, 10,000 characters, before any hook is asked: there is nothing left to shorten.
  holds(
    "claude-code: a failing result stays a failure, as Claude Code has cut it",
    kept.isFailed === true && /\[\d+ characters truncated\]/.test(kept.failed ?? ""),
    kept.failed?.slice(0, 200),
  );
  check(
    "claude-code: an overflow is compacted by us, and no model is asked",
    !seen.some(({ tag }) => tag === "compact") && kept.after?.includes(PAGE) === true,
  );
  check(
    "claude-code: the user's words stay, the newest steps stay as they were with their pairs, the oldest are gone",
    kept.after?.includes(WORDS) === true &&
      kept.after.includes(printed(29)) &&
      kept.after.includes("beside 29") &&
      !kept.after.includes(printed(10)),
  );
  check(
    "claude-code: the user sees what left and how to read it",
    /"subtype":"ui_log","plugin":"palimpsest","text":"compacted [\d,]+ → [\d,]+ tokens, no model asked/.test(
      ran.out,
    ),
  );
  const log = join(place.project, "precompact.log");
  holds(
    "claude-code: the user's PreCompact hook is run, once",
    existsSync(log) && readFileSync(log, "utf8") === "asked\n",
  );
  return { ran, kept };
}

/** A giant result that fails, and then steps enough that most of them must leave. */
function failing(kept) {
  const failed = (request) => {
    kept.failed = resultsIn(request).at(-1);
    kept.isFailed = request.transcript.messages.at(-1)?.parts.some(({ isError }) => isError);
    return bash("pwd");
  };
  return [() => bash("cat big.log; exit 3"), failed, ...filling(10, 20)];
}

/** What a file says after a compaction, a resumed session reads: the page once, the tail, and nothing of what left. */
async function resumed(claude, kept, sessionId) {
  let [read, sent] = [undefined, ""];
  const [first, onward] = reading(
    CALL,
    () => kept.ref,
    (whole) => {
      read = whole;
      return filling(30, 1)[0]();
    },
  );
  const { server } = await model({
    rules: [SUMMARIZER],
    steps: [
      (_, text) => {
        sent = text;
        return first();
      },
      onward,
      ...filling(31, 14),
    ],
  });
  const ran = await claude(server.url, ["-p", "go on", "--resume", sessionId]);
  await server.close();
  check(
    "claude-code: a resumed session has the compacted conversation, not the one before",
    sent.split(PAGE).length === 2 && sent.includes(printed(29)) && !sent.includes(printed(10)),
    `${sent.split(PAGE).length - 1} pages`,
  );
  check(
    "claude-code: after a resume the ref still reads byte for byte",
    isWhole(read, BIG),
    read?.slice(0, 200),
  );
  checkRules("claude-code", "nothing in the resumed session broke a provider's rule", server, ran);
}

async function compactedAgain(place, claude, kept, sessionId) {
  let sent = "";
  const { server, seen } = await model({
    rules: [SUMMARIZER],
    steps: [
      (_, text) => {
        sent = text;
        return "done";
      },
    ],
  });
  const ran = await claude(server.url, ["-p", "/compact keep the ports", "--resume", sessionId]);
  const asked = seen.length;
  await claude(server.url, ["-p", "and now?", "--resume", sessionId]);
  await server.close();
  check(
    "claude-code: /compact with a focus is ours too, and no model is asked",
    asked === 0 && ran.out.includes('"plugin":"palimpsest","text":"compacted'),
    `${asked} requests; ${/"compact_error":"[^"]*"/.exec(ran.out)?.[0] ?? ""}`,
  );
  check(
    "claude-code: after the second there is one page, and the user's words are there",
    sent.split(PAGE).length === 2 && sent.includes(WORDS) && sent.includes("go on"),
    `${sent.split(PAGE).length - 1} pages`,
  );
  const exported = await palimpsest(["export", sessionId], place);
  check("claude-code: the focus is on record", exported.out.includes('"focus":"keep the ports"'));
  const cli = await palimpsest(["ref", kept.ref, "--session", sessionId], place);
  check(
    "claude-code: the command line reads the same bytes after both",
    isWhole(cli.out, BIG),
    cli.err || cli.out.slice(0, 100),
  );
}

/** The subagent is told by its task: its requests begin with it. */
async function inSubagent(claude) {
  const [task, kept] = ["LOOK INTO THE NUMBERS", {}];
  // Thinking at each step: the last one is then bound to what no longer stands before it, and so is the one before.
  const thinking = filling(50, 16).map((step) => () => ({ thinking: "Hm.", ...step() }));
  const steps = [...thinking, () => ({ fault: "overflow" })];
  const isOfSubagent = ({ transcript }) => {
    const [opening] = transcript.messages;
    return opening?.parts.some(({ type, text = "" }) => type === "text" && text.trim() === task) === true;
  };
  let step = 0;
  const { server, seen } = await model({
    rules: [
      SUMMARIZER,
      {
        tag: "subagent",
        when: isOfSubagent,
        reply: (_, text) => {
          const next = steps[step];
          step += 1;
          if (next) return next();
          kept.after ??= text;
          return "looked into";
        },
      },
    ],
    steps: [
      () => ({
        calls: [
          {
            name: "Agent",
            input: {
              description: "look",
              prompt: task,
              subagent_type: "general-purpose",
              run_in_background: false,
            },
          },
        ],
      }),
      () => "done",
    ],
  });
  const ran = await claude(server.url, ["-p", "have it looked into"]);
  await server.close();
  check(
    "claude-code: a subagent's compaction is ours too",
    kept.after?.includes(PAGE) === true &&
      kept.after.includes(printed(64)) &&
      !seen.some(({ tag }) => tag === "compact"),
    seen.map(({ tag }) => tag).join(),
  );
  // Its own compaction keeps the last step with thinking that was sealed elsewhere, and is refused.
  check(
    "claude-code: nothing around the subagent broke a provider's rule",
    server.violations.length === 0 && ran.code === 0,
    JSON.stringify(server.violations).slice(0, 300),
  );
}

/** The agent itself takes our store away: Claude Code then compacts by itself, and it is said once. */
async function broken(place, claude) {
  const { server, seen } = await model({
    rules: [SUMMARIZER],
    steps: [
      ...Array.from({ length: 12 }, (_, index) => () => bash(fill(70 + index))),
      () => bash(`rm -rf "${place.store}" && touch "${place.store}"`),
      () => bash("cat big.log"),
      () => ({ fault: "overflow" }),
      () => "done",
    ],
  });
  const ran = await claude(server.url, ["-p", "break it"]);
  await server.close();
  holds(
    "claude-code: where we cannot, it compacts by itself and goes on",
    ran.code === 0 && seen.some(({ tag }) => tag === "compact") && server.violations.length === 0,
    `${seen.map(({ tag }) => tag).join()} ${JSON.stringify(server.violations).slice(0, 200)}`,
  );
  const said = ran.out.split("\n").filter((line) => line.includes("Everything goes through as it is"));
  check("claude-code: and that is said once", said.length === 1, `${said.length} times`);
  await run("rm", ["-f", place.store], { env: process.env, cwd: place.project });
}
