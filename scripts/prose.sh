#!/usr/bin/env bash
# Checks spelling and style of the documents and the roles with Vale, by .vale.ini. Without Vale it says so and passes, unless CI=true.
set -euo pipefail
cd "$(dirname "$0")/.."
vale="$(go env GOPATH)/bin/vale"
if [ ! -x "$vale" ]; then
  echo "prose: no Vale on this machine, so spelling and style of the documents are not checked; \`make tools\` installs it"
  [ "${CI:-}" != true ]
  exit
fi
"$vale" --output=line README.md ARCHITECTURE.md CONTRIBUTING.md SECURITY.md docs plugin internal/role/builtin
