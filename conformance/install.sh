#!/usr/bin/env bash
# Installs the pinned clients into a cache folder outside the repository; what is there already stays. About 1.5 GB.
# A client the registry cannot serve is named and left out: its suite is then skipped, and everything else runs.
set -uo pipefail
cache="${PALIMPSEST_CLIENTS:-${TMPDIR:-/tmp}/palimpsest-clients}"
mkdir -p "$cache"
# Two installs into one folder at once would leave neither whole.
if command -v flock > /dev/null; then exec 9> "$cache/.lock"; flock 9; fi
put() {
  local folder="$cache/$1" said
  [ "$(cat "$folder/.installed" 2> /dev/null)" = "$3" ] && [ -x "$folder/node_modules/.bin/$2" ] && return
  mkdir -p "$folder"
  [ -f "$folder/package.json" ] || echo '{"private":true}' > "$folder/package.json"
  if said=$(cd "$folder" && npm install --no-audit --no-fund --loglevel=error "$3" 2>&1) &&
    [ -x "$folder/node_modules/.bin/$2" ]; then
    echo "$3" > "$folder/.installed"
  else
    rm -rf "$folder"
    echo "not installed: $3 ($(grep 'npm error' <<< "$said" | grep -v 'error code' | head -n 1))"
  fi
}
# Claude Code wants Node 22: under 20 npm installs an old one without a word.
put node22 node node@22
PATH="$cache/node22/node_modules/.bin:$PATH"
put claude claude @anthropic-ai/claude-code@2.1.326
put claude-classic claude @anthropic-ai/claude-code@2.1.197
put codex codex @openai/codex@0.169.0
put pi pi @earendil-works/pi-coding-agent@0.87.1
put gemini gemini @google/gemini-cli@0.61.0
put opencode opencode opencode-ai@1.18.33
# What the suites of ../shared/conformance drive besides (conformance/shared.mjs): Cline, and three sets of SDKs.
[ "${1:-}" = shared ] || exit 0
put cline cline cline@3.0.65
shared="${PALIMPSEST_SHARED:-$(dirname "$0")/../../shared/conformance}"
for set in sdks agents lc; do
  folder="$cache/shared-$set"
  [ -f "$folder/.installed" ] && continue
  mkdir -p "$folder"
  # Exact versions: npm refuses an override that says otherwise than a range.
  sed 's/"^/"/g' "$shared/install/$set/package.json" > "$folder/package.json"
  if (cd "$folder" && npm install --no-audit --no-fund --loglevel=error --legacy-peer-deps > /dev/null); then
    touch "$folder/.installed"
  else
    echo "not installed: $set of $shared"
  fi
done
exit 0
