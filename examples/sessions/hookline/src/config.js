/**
 * Settings: `config/default.json`, then `config/<HOOKLINE_ENV>.json` over it, then a few environment variables.
 * What is wrong is said once, at the start, with all problems in one message.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("../config/", import.meta.url));

export class ConfigError extends Error {
  constructor(problems) {
    super(`The configuration is not usable:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

export function loadConfig(env = process.env, folder = FOLDER) {
  const base = readJson(join(folder, "default.json"));
  const name = env.HOOKLINE_ENV;
  const file = name && join(folder, `${name}.json`);
  if (file && !existsSync(file)) throw new ConfigError([`HOOKLINE_ENV is "${name}", but there is no ${file}`]);
  const config = fromEnvironment(merge(base, file ? readJson(file) : {}), env);
  const problems = check(config);
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new ConfigError([`${file}: ${error.message}`]);
  }
}

/** Objects are merged, everything else is replaced: a list in production.json is the whole list. */
export function merge(base, over) {
  const merged = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const isTree = isPlain(value) && isPlain(base[key]);
    merged[key] = isTree ? merge(base[key], value) : value;
  }
  return merged;
}

function isPlain(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fromEnvironment(config, env) {
  const port = env.HOOKLINE_PORT === undefined ? config.port : Number(env.HOOKLINE_PORT);
  return { ...config, port, journal: env.HOOKLINE_JOURNAL ?? config.journal };
}

function check(config) {
  const problems = [];
  const { port, delivery } = config;
  if (!Number.isInteger(port) || port < 0 || port > 65535) problems.push(`port is ${port}, not a port number`);
  for (const key of ["timeoutMs", "maxAttempts", "baseDelayMs", "concurrency"]) {
    if (!Number.isInteger(delivery?.[key]) || delivery[key] < 1) {
      problems.push(`delivery.${key} is ${delivery?.[key]}, not a positive whole number`);
    }
  }
  return problems;
}
