/**
 * How doctor starts each host against a model on this machine, and what the host calls its tools. The user's own settings stay
 * in force, because they are what is examined; what must be otherwise (the model, its address) is said on the command line, in
 * the environment, or in a file of doctor's own that is gone afterwards.
 */
import { homedir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../transcript/json.ts";
import type { HostName } from "./host.ts";
import { objectAt, textAt } from "./settings-file.ts";
import { settingsIn } from "./settings-json.ts";

/** Where the model listens, and a folder that is doctor's own. */
export interface Far {
  readonly url: string;
  readonly folder: string;
  /** As the user has it. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Way {
  readonly words: (far: Far) => readonly string[];
  readonly env: (far: Far) => Readonly<Record<string, string>>;
  /** Files the host needs to be told by. */
  readonly files?: (far: Far) => Readonly<Record<string, string>>;
  readonly shell: (command: string) => {
    readonly name: string;
    readonly input: Record<string, string | number>;
  };
  readonly readRef: string;
  /** Why hooks may not run although they are installed. */
  readonly silent: string;
}

const ASKED = "palimpsest doctor";

const claudeCode: Way = {
  words: () => ["-p", ASKED, "--model", "claude-sonnet-4-5", "--allowedTools", "Bash"],
  env: ({ url }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "sk-ant-doctor",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  }),
  shell: (command) => ({ name: "Bash", input: { command, description: ASKED } }),
  readRef: "mcp__palimpsest__read_ref",
  silent: 'hooks are off ("disableAllHooks", managed settings), or another hook replaced the result after us',
};

const codex: Way = {
  words: ({ url }) => [
    // Newer models call tools from scripts they write, which a scripted model has no need of.
    ...["exec", "--skip-git-repo-check", "-c", 'model="gpt-5.1-codex"'],
    ...["-c", 'model_provider="palimpsest_doctor"', "-c"],
    `model_providers.palimpsest_doctor={name="doctor",base_url="${url}/v1",env_key="PALIMPSEST_DOCTOR",wire_api="responses"}`,
    ...["--sandbox", "read-only", ASKED],
  ],
  env: () => ({ PALIMPSEST_DOCTOR: "none" }),
  shell: (cmd) => ({ name: "exec_command", input: { cmd, max_output_tokens: 100_000 } }),
  readRef: "mcp__palimpsest__read_ref",
  silent:
    "Codex runs no hook you have not trusted, and says nothing: start it, type /hooks, and trust the five of palimpsest",
};

const geminiCli: Way = {
  words: () => ["-p", ASKED, "-m", "gemini-2.5-pro", "--approval-mode", "yolo", "--skip-trust"],
  env: ({ url, folder }) => ({
    GEMINI_API_KEY: "none",
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_CLI_HOME: folder,
  }),
  // The user's settings but for one: who signs in with an account would be sent to a browser. System settings would overrule
  // it too, but Gemini CLI takes none from a folder that others can write.
  files: ({ env }) => {
    const path = join(env["GEMINI_CLI_HOME"] ?? env["HOME"] ?? homedir(), ".gemini", "settings.json");
    const settings = settingsIn(textAt(path), path);
    const security = objectAt(settings, "security");
    const auth = { ...objectAt(security, "auth"), selectedType: "gemini-api-key" };
    const all = { ...settings, security: { ...security, auth } };
    return { ".gemini/settings.json": JSON.stringify(all) };
  },
  shell: (command) => ({ name: "run_shell_command", input: { command, description: ASKED } }),
  readRef: "mcp_palimpsest_read_ref",
  silent: 'hooks are off ("hooksConfig.enabled": false), or the folder is not trusted',
};

const opencode: Way = {
  words: () => ["run", ASKED],
  env: ({ url, folder }) => ({
    OPENCODE_CONFIG_CONTENT: JSON.stringify(openCodeSettings(url)),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    // Its session is nothing to keep.
    XDG_DATA_HOME: join(folder, "data"),
    XDG_STATE_HOME: join(folder, "state"),
  }),
  shell: (command) => ({ name: "bash", input: { command, description: ASKED } }),
  readRef: "read_ref",
  silent: "the plugin did not load, or another plugin replaced the result after us",
};

function openCodeSettings(url: string): JsonObject {
  const models = { doctor: { name: "doctor", tool_call: true, limit: { context: 128_000, output: 8192 } } };
  const options = { baseURL: `${url}/v1`, apiKey: "none" };
  const name = "palimpsest-doctor";
  return {
    model: `${name}/doctor`,
    small_model: `${name}/doctor`,
    permission: "allow",
    share: "disabled",
    autoupdate: false,
    provider: { [name]: { npm: "@ai-sdk/openai-compatible", name, options, models } },
  };
}

const pi: Way = {
  words: ({ folder }) => [
    ...["-p", "--no-session", "--provider", "palimpsest-doctor", "--model", "doctor"],
    ...["-e", join(folder, "model.js"), ASKED],
  ],
  env: () => ({ PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" }),
  files: ({ url }) => ({ "model.js": piModel(url) }),
  shell: (command) => ({ name: "bash", input: { command } }),
  readRef: "read_ref",
  silent: "the extension did not load, or another extension replaced the result after us",
};

function piModel(url: string): string {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const facts = { reasoning: false, input: ["text"], contextWindow: 128_000, maxTokens: 8192, cost };
  const provider = {
    baseUrl: `${url}/v1`,
    api: "openai-completions",
    apiKey: "none",
    models: [{ id: "doctor", name: "doctor", ...facts }],
  };
  return `export default (pi) => pi.registerProvider("palimpsest-doctor", ${JSON.stringify(provider)});\n`;
}

export const ways: Readonly<Record<HostName, Way>> = {
  "claude-code": claudeCode,
  codex,
  "gemini-cli": geminiCli,
  opencode,
  pi,
};
