#!/usr/bin/env bash
# Installs what the tests need and the machine lacks, quietly. What cannot be
# installed here is printed with what is skipped for the lack of it; what it installs
# on which system is also in internal/tooltest, for the tests.
set -uo pipefail
golangci_version=$1
vale_version=$2
cd "$(dirname "$0")/.."

PATH=$PATH:/usr/sbin # where Debian keeps haproxy and pgbouncer

have() { command -v "$1" >/dev/null 2>&1; }

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

# package, command, what is skipped without it
wanted() {
  echo "git git nothing works without it"
  echo "tmux tmux tests of interactive sessions are skipped"
  echo "jq jq the figure that compares the hook with bash and jq cannot be measured"
  echo "openssh-client ssh-keygen tests of signatures with ordinary tools are skipped"
  echo "postgresql psql tests with the database of a team are skipped"
  echo "pgbouncer pgbouncer tests with a pooler in front of that database are skipped"
  [ "$(uname -s)" != Linux ] || echo "prometheus promtool the alert rules are not played through"
  [ "$(uname -s)" != Linux ] || echo "haproxy haproxy tests of the balancer's settings are skipped"
  [ "$(uname -s)" != Linux ] || echo "systemd systemd-analyze systemd is not asked about the units"
  echo "npm npm tests with the real Claude Code and of accessibility are skipped"
  have google-chrome || have google-chrome-stable || echo "chromium chromium tests of the cockpit in a browser are skipped"
  [ "$(uname -s)" != Linux ] || echo "bubblewrap bwrap tests of the sandbox are skipped"
}

system_packages() {
  local missing=() package command without
  while read -r package command without; do have "$command" || missing+=("$package"); done < <(wanted)
  if [ ${#missing[@]} -gt 0 ] && have apt-get; then
    as_root apt-get update -qq
    for package in "${missing[@]}"; do # one by one: a package that is missing here keeps no other away
      as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$package"
    done
  fi >/dev/null 2>&1
  while read -r package command without; do have "$command" || echo "tools: no $command on this machine: $without"; done < <(wanted)
}

from_npm() {
  have npm || return
  bash scripts/fetch-claude.sh >/dev/null || echo "tools: Claude Code could not be fetched: tests with the real program are skipped"
  sh scripts/fetch-axe.sh >/dev/null || echo "tools: axe could not be fetched: tests of accessibility are skipped"
}

s3_server() {
  sh scripts/fetch-versitygw.sh >/dev/null 2>&1 || echo "tools: versitygw could not be built: tests with a bucket are skipped"
}

linter() {
  local gobin
  gobin="$(go env GOPATH)/bin"
  "$gobin/golangci-lint" version 2>/dev/null | grep -q "version ${golangci_version#v} " && return
  go install "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@${golangci_version}" >/dev/null 2>&1 ||
    { echo "tools: golangci-lint ${golangci_version} could not be installed"; return 1; }
}

# Vale needs a C compiler. It does not say its version, but what it was built from does.
prose() {
  local vale
  vale="$(go env GOPATH)/bin/vale"
  go version -m "$vale" 2>/dev/null | grep -q "vale/v3[[:space:]]*${vale_version}\b" && return
  go install "github.com/vale-cli/vale/v3/cmd/vale@${vale_version}" >/dev/null 2>&1 ||
    echo "tools: vale ${vale_version} could not be installed: spelling and style of the documents are not checked"
}

# Packages and modules are downloaded while the linter is compiled. A module that cannot be had is named by who needs it.
{ system_packages; from_npm; } &
s3_server &
go list -deps -test ./... >/dev/null 2>&1 &
linter
linted=$?
prose
wait
exit $linted
