#!/bin/sh
# `npm test`: format, types and tests. Types are checked while the tests run, since these leave a processor idle at times.
# Arguments, such as the name of a file, go to vitest.
set -eu
cd "$(dirname -- "$0")/.."

sh scripts/setup.sh test
npm run --silent check:format

said=$(mktemp)
trap 'rm -f "$said"' EXIT
npm run --silent check:types >"$said" 2>&1 &
types=$!
status=0
vitest run "$@" || status=1
if ! wait "$types"; then
  echo 'The types are wrong:' >&2
  cat "$said" >&2
  status=1
fi
exit "$status"
