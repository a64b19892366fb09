/** One JSON object per line on stderr, so that stdout stays free for tools. */
const LEVELS = ["debug", "info", "warn", "error"];

export function createLog({ level = "info", write = (line) => process.stderr.write(line), now = Date.now } = {}) {
  const least = LEVELS.indexOf(level);
  const at = (name) => (message, fields = {}) => {
    if (LEVELS.indexOf(name) < least) return;
    write(`${JSON.stringify({ time: new Date(now()).toISOString(), level: name, message, ...fields })}\n`);
  };
  return Object.fromEntries(LEVELS.map((name) => [name, at(name)]));
}

export const silentLog = createLog({ write: () => {} });
