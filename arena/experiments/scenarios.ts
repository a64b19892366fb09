/**
 * Eight sessions of our own, modelled on the kinds seed 003 used: what was run, what it printed, what the agent made of it.
 * Details are invented and cannot be guessed; `why` is narrative, `facts` are what a recall question asks for.
 */

export interface Step {
  readonly tool: "Bash" | "Read" | "Edit";
  readonly target: string;
  /** Lines of the output that matter: words, then the exact value. */
  readonly facts: readonly (readonly [words: string, value: string])[];
  /** Lines around them: more make the output larger than a threshold. */
  readonly filler: number;
  readonly why: string;
}

export interface Scenario {
  readonly name: string;
  readonly asks: string;
  readonly steps: readonly Step[];
}

const step = (
  tool: Step["tool"],
  target: string,
  filler: number,
  facts: Step["facts"],
  why: string,
): Step => ({ tool, target, facts, filler, why });

const MIGRATION: readonly Step[] = [
  step(
    "Read",
    "db/migrations/0042_orders.sql",
    40,
    [
      ["orders table gains column", "settled_at_utc"],
      ["backfill batch size", "2750"],
    ],
    "The backfill must run in batches because the table is locked while it runs.",
  ),
  step(
    "Bash",
    "npx knex migrate:latest",
    30,
    [
      ["migration failed constraint", "orders_ledger_fk_8f3a"],
      ["postgres error code", "23503"],
    ],
    "The root cause is that ledger rows were deleted before the orders that name them.",
  ),
  step(
    "Bash",
    "psql -c 'select count(*) from orders'",
    12,
    [["orphaned orders counted", "18342"]],
    "I decided to archive orphans instead of deleting them, because finance reports read them.",
  ),
  step(
    "Edit",
    "db/migrations/0043_archive.sql",
    4,
    [["archive table name", "orders_orphaned_2026"]],
    "Archive first, then add the constraint.",
  ),
];
const AUTH: readonly Step[] = [
  step(
    "Read",
    "src/middleware/auth.ts",
    45,
    [
      ["token audience expected", "hookIngestV3"],
      ["clock skew seconds tolerated", "137"],
    ],
    "The skew is larger than the token lifetime, so expired tokens pass.",
  ),
  step(
    "Bash",
    "npx vitest run auth",
    35,
    [
      ["failing assertion type", "SignedPrincipalV2"],
      ["expected issuer", "https://id.example.net/realm-7"],
    ],
    "The middleware narrows to the old type because the guard checks the wrong field.",
  ),
  step(
    "Edit",
    "src/middleware/guard.ts",
    5,
    [["guard renamed", "hasKnownKeyId"]],
    "I chose to check the key id instead of the shape.",
  ),
];
const WEBHOOK: readonly Step[] = [
  step(
    "Read",
    "config/webhooks.yaml",
    30,
    [
      ["retry schedule jitter", "0.385"],
      ["signing secret version", "whsec_v19"],
    ],
    "Jitter that high makes retries overlap.",
  ),
  step(
    "Bash",
    "curl -s localhost/hooks/status",
    50,
    [
      ["delivery endpoint port", "7443"],
      ["dead letter queue depth", "6128"],
    ],
    "The queue fills because the endpoint answers before it commits.",
  ),
  step(
    "Edit",
    "config/webhooks.yaml",
    4,
    [["retry ceiling set", "4718"]],
    "A ceiling instead of an endless schedule, because receivers asked for one.",
  ),
];
const PROFILE: readonly Step[] = [
  step(
    "Bash",
    "node --cpu-prof build.mjs",
    60,
    [
      ["hottest function share", "61.7"],
      ["samples taken", "48211"],
    ],
    "Parsing dominates, so caching the parse is worth more than threads.",
  ),
  step(
    "Bash",
    "node bench/parse.mjs",
    25,
    [
      ["median before change", "412.6"],
      ["median after change", "97.3"],
    ],
    "I tried a worker pool first and ruled it out because copying cost more than parsing.",
  ),
  step(
    "Read",
    "src/parse/cache.ts",
    40,
    [
      ["cache key function", "hashOfTokens"],
      ["entries kept", "3584"],
    ],
    "The cache is bounded because builds run for days.",
  ),
];
const LOCK: readonly Step[] = [
  step(
    "Bash",
    "pg_locks --waiting",
    40,
    [
      ["blocking process id", "90817"],
      ["lock wait milliseconds", "31250"],
    ],
    "The vacuum holds the lock, not our migration.",
  ),
  step(
    "Read",
    "src/jobs/vacuum.ts",
    35,
    [
      ["vacuum statement timeout", "330450"],
      ["advisory lock key", "774412"],
    ],
    "It takes the advisory lock before it checks whether there is work.",
  ),
  step(
    "Edit",
    "src/jobs/vacuum.ts",
    5,
    [["new order helper", "takeLockLate"]],
    "Check first, lock later, because idle runs are the common case.",
  ),
];
const ERRORS: readonly Step[] = [
  step(
    "Bash",
    "npm run migrate -- --dry-run",
    55,
    [
      ["first failing revision", "rev_c81d04"],
      ["rows rejected", "2209"],
    ],
    "Dry run and real run disagree because the dry run skips triggers.",
  ),
  step(
    "Bash",
    "git bisect run ./check.sh",
    30,
    [
      ["first bad commit", "9ac41fe"],
      ["good revision", "71b0d2c"],
    ],
    "The commit changed the collation, which changed the sort of the batches.",
  ),
  step(
    "Read",
    "db/collation.md",
    20,
    [["collation wanted", "icu_root_v153"]],
    "Pin the collation instead of sorting in code.",
  ),
];
const TUNING: readonly Step[] = [
  step(
    "Bash",
    "wrk -t4 -c64 http://localhost:8099",
    20,
    [["requests per second baseline", "5318"]],
    "Baseline before touching anything.",
  ),
  step(
    "Bash",
    "wrk -t4 -c64 http://localhost:8099 --nodelay",
    20,
    [["requests per second nodelay", "5342"]],
    "No difference, so I ruled out buffering.",
  ),
  step(
    "Bash",
    "wrk -t4 -c64 http://localhost:8099 --pool 32",
    20,
    [["requests per second pooled", "8967"]],
    "The pool is what matters, because connections were opened per request.",
  ),
  step(
    "Edit",
    "src/server/pool.ts",
    4,
    [["pool option", "maxIdleSockets"]],
    "Keep the pool small instead of unbounded: the database allows few connections.",
  ),
];

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "database-migration",
    asks: "Migrate the orders table. Never delete order rows.",
    steps: MIGRATION,
  },
  {
    name: "auth-middleware",
    asks: "Find out why expired tokens pass. Do not change the public types.",
    steps: AUTH,
  },
  {
    name: "webhook-configuration",
    asks: "Make webhook retries stop after a while. Keep the signature scheme.",
    steps: WEBHOOK,
  },
  {
    name: "performance-profiling",
    asks: "The build is slow. Measure before you change anything.",
    steps: PROFILE,
  },
  { name: "lock-timeout", asks: "Deploys time out on a lock. Never disable the vacuum.", steps: LOCK },
  {
    name: "migration-error",
    asks: "Find the commit that broke the migration. Only pin, do not rewrite.",
    steps: ERRORS,
  },
  { name: "perf-debug", asks: "Throughput is too low. Try one thing at a time.", steps: TUNING },
  {
    name: "full-18-part",
    asks: "Work through the release checklist. Always run the tests before you go on.",
    steps: [MIGRATION, AUTH, WEBHOOK, LOCK, ERRORS, TUNING].flat().slice(0, 18),
  },
];

/** Those the seed used again at realistic length, with OpenCode's split. */
export const REALISTIC: readonly string[] = ["migration-error", "perf-debug", "lock-timeout", "full-18-part"];
