#!/usr/bin/env bash
# Installs the pinned clients into a cache folder outside the repository; what is there already stays. About 1.5 GB.
set -euo pipefail
cache="${PALIMPSEST_CLIENTS:-${TMPDIR:-/tmp}/palimpsest-clients}"
put() {
  [ -x "$cache/$1/node_modules/.bin/$2" ] && return
  mkdir -p "$cache/$1"
  [ -f "$cache/$1/package.json" ] || echo '{"private":true}' > "$cache/$1/package.json"
  (cd "$cache/$1" && npm install --no-audit --no-fund --loglevel=error "$3")
}
# Claude Code wants Node 22: under 20 npm installs an old one without a word.
put node22 node node@22
PATH="$cache/node22/node_modules/.bin:$PATH"
put claude claude @anthropic-ai/claude-code@2.1.326
put codex codex @openai/codex@0.169.0
put pi pi @earendil-works/pi-coding-agent@0.87.1
put gemini gemini @google/gemini-cli@0.61.0
put opencode opencode opencode-ai@1.18.33
