/**
 * The tools of the agent, really executed in the project folder. Each gives `{ content, result, isError }`: what the
 * model reads, and the structured `toolUseResult` beside it. The temporary folder never shows: paths begin at /home/dev.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createRandom } from "./random.mjs";

export function createTools({ root, project }) {
  const real = (path) => join(root, path);
  const shown = (text) => text.replaceAll(root, "");
  const readFiles = new Set();
  let todos = [];
  let runs = 0;
  const tools = { Read, Write, Edit, Bash, Grep, Glob, TodoWrite };
  return { run: (name, input, at) => tools[name](input, at), relative, todos: () => todos };

  function relative(path) {
    return path.replace("/home/dev/hookline/", "");
  }

  function Read({ file_path, offset = 1, limit = 2000 }) {
    if (!existsSync(real(file_path))) return failure("File does not exist.");
    readFiles.add(file_path);
    const text = readFileSync(real(file_path), "utf8");
    const lines = text.split("\n");
    const part = lines.slice(offset - 1, offset - 1 + limit);
    const content = numbered(part, offset);
    const file = { filePath: file_path, content: part.join("\n"), numLines: part.length, startLine: offset, totalLines: lines.length };
    return { content, result: { type: "text", file } };
  }

  function Write({ file_path, content }) {
    const isNew = !existsSync(real(file_path));
    if (!isNew && !readFiles.has(file_path)) return failure("File has not been read yet. Read it first before writing to it.");
    const originalFile = isNew ? null : readFileSync(real(file_path), "utf8");
    mkdirSync(dirname(real(file_path)), { recursive: true });
    writeFileSync(real(file_path), content);
    readFiles.add(file_path);
    const text = isNew
      ? `File created successfully at: ${file_path}`
      : `The file ${file_path} has been updated. Here's the result of running \`cat -n\` on a snippet of the edited file:\n${numbered(content.split("\n"), 1)}`;
    const structuredPatch = isNew ? [] : [wholePatch(originalFile, content)];
    return { content: text, result: { type: isNew ? "create" : "update", filePath: file_path, content, structuredPatch, originalFile } };
  }

  function Edit({ file_path, old_string, new_string, replace_all = false }) {
    if (!readFiles.has(file_path)) return failure("File has not been read yet. Read it first before writing to it.");
    const originalFile = readFileSync(real(file_path), "utf8");
    const count = originalFile.split(old_string).length - 1;
    if (count === 0) return failure(`String to replace not found in file.\nString: ${old_string}`);
    if (count > 1 && !replace_all) {
      return failure(`Found ${count} matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the instance.\nString: ${old_string}`);
    }
    const edited = replace_all ? originalFile.replaceAll(old_string, () => new_string) : originalFile.replace(old_string, () => new_string);
    writeFileSync(real(file_path), edited);
    const structuredPatch = replace_all ? [wholePatch(originalFile, edited)] : [patch(originalFile, old_string, new_string)];
    const content = replace_all
      ? `The file ${file_path} has been updated. All occurrences of '${old_string}' were successfully replaced with '${new_string}'.`
      : `The file ${file_path} has been updated successfully.`;
    return { content, result: { filePath: file_path, oldString: old_string, newString: new_string, originalFile, structuredPatch, userModified: false, replaceAll: replace_all } };
  }

  function Bash({ command }, at) {
    const date = new Date(at).toISOString();
    const env = {
      PATH: process.env.PATH, HOME: real("/home/dev"), LANG: "C.UTF-8", LC_ALL: "C.UTF-8", TZ: "UTC", PAGER: "cat", GIT_PAGER: "cat", GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "Mara Lindqvist", GIT_AUTHOR_EMAIL: "mara@hookline.example", GIT_COMMITTER_NAME: "Mara Lindqvist",
      GIT_COMMITTER_EMAIL: "mara@hookline.example", GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date,
      npm_config_update_notifier: "false", npm_config_fund: "false", npm_config_audit: "false", TMPDIR: real("/home/dev"),
    };
    const { stdout, stderr, status } = spawnSync("bash", ["-c", command], { cwd: project, env, encoding: "utf8", maxBuffer: 1e8, timeout: 60_000 });
    runs += 1;
    const random = createRandom(7000 + runs);
    const out = steady(shown(stdout), random).trimEnd();
    const err = steady(shown(stderr), random).trimEnd();
    if (status !== 0) return failure([`Exit code ${status}`, out, err].filter(Boolean).join("\n"));
    const content = [out, err].filter(Boolean).join("\n");
    return { content, isError: false, result: { stdout: out, stderr: err, interrupted: false, isImage: false } };
  }

  function Grep({ pattern, path = "/home/dev/hookline", output_mode = "files_with_matches", glob, "-i": ignoreCase, "-n": withNumbers = true }) {
    const expression = new RegExp(pattern, ignoreCase ? "i" : "");
    const ending = glob?.replace("*", "");
    const files = filesBelow(real(path)).filter((file) => !ending || file.endsWith(ending));
    const hits = files.flatMap((file) =>
      readFileSync(file, "utf8").split("\n").flatMap((line, index) => (expression.test(line) ? [{ file: relative(shown(file)), line, number: index + 1 }] : [])));
    if (output_mode === "content") {
      const content = hits.map(({ file, line, number }) => `${file}:${withNumbers ? `${number}:` : ""}${line}`).join("\n");
      return { content: content || "No matches found", result: { mode: "content", numFiles: 0, filenames: [], content, numLines: hits.length } };
    }
    const filenames = [...new Set(hits.map(({ file }) => file))];
    const content = filenames.length === 0 ? "No files found" : `Found ${filenames.length} file${filenames.length === 1 ? "" : "s"}\n${filenames.join("\n")}`;
    return { content, result: { mode: "files_with_matches", filenames, numFiles: filenames.length } };
  }

  function Glob({ pattern, path = "/home/dev/hookline" }) {
    const ending = pattern.replace(/^\*\*\/\*|^\*\*\//, "");
    const filenames = filesBelow(real(path)).map(shown).filter((file) => file.endsWith(ending));
    return { content: filenames.join("\n") || "No files found", result: { filenames, durationMs: 11 + filenames.length, numFiles: filenames.length, truncated: false } };
  }

  function TodoWrite({ todos: newTodos }) {
    const oldTodos = todos;
    todos = newTodos;
    return {
      content: "Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress. Please proceed with the current tasks if applicable",
      result: { oldTodos, newTodos },
    };
  }

  function filesBelow(path) {
    if (statSync(path).isFile()) return [path];
    return readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1)).flatMap((entry) => {
      if ([".git", "node_modules", "var"].includes(entry.name)) return [];
      return filesBelow(join(path, entry.name));
    });
  }
}

function failure(message) {
  const isHarness = !message.startsWith("Exit code");
  return { content: isHarness ? `<tool_use_error>${message}</tool_use_error>` : message, isError: true, result: `Error: ${message}` };
}

function numbered(lines, from) {
  return lines.map((line, index) => `${String(from + index).padStart(6)}→${line}`).join("\n");
}

/** What differs between two runs of the same tests is made the same. */
function steady(text, random) {
  const ms = () => (random.int(90, 4200) / 1000 + random.next() / 1000).toFixed(6);
  return text
    .replace(/# duration_ms [\d.]+/g, () => `# duration_ms ${(random.int(1480, 2390) + random.next()).toFixed(6)}`)
    .replace(/duration_ms: [\d.]+/g, () => `duration_ms: ${ms()}`)
    .replace(/ℹ duration_ms [\d.]+/g, () => `ℹ duration_ms ${(random.int(110, 390) + random.next()).toFixed(6)}`)
    .replace(/\(([\d.]+)ms\)/g, () => `(${ms()}ms)`)
    .replace(/"upMs":\d+/g, () => `"upMs":${random.int(380, 460)}`)
    .replace(/hookline-config-\w{6}/g, "hookline-config-Qp3dXe");
}

function patch(original, oldString, newString) {
  const before = original.slice(0, original.indexOf(oldString)).split("\n");
  const lines = original.split("\n");
  const first = before.length - 1;
  const removed = lines.slice(first, first + oldString.split("\n").length);
  const edited = original.replace(oldString, () => newString).split("\n");
  const added = edited.slice(first, first + newString.split("\n").length);
  const start = Math.max(0, first - 3);
  const tail = lines.slice(first + removed.length, first + removed.length + 3);
  const head = lines.slice(start, first);
  const common = head.length + tail.length;
  const mark = (sign, list) => list.map((line) => sign + line);
  return { oldStart: start + 1, oldLines: removed.length + common, newStart: start + 1, newLines: added.length + common,
    lines: [...mark(" ", head), ...mark("-", removed), ...mark("+", added), ...mark(" ", tail)] };
}

function wholePatch(before, after) {
  const [old, next] = [before.split("\n"), after.split("\n")];
  return { oldStart: 1, oldLines: old.length, newStart: 1, newLines: next.length, lines: [...old.map((line) => `-${line}`), ...next.map((line) => `+${line}`)] };
}
