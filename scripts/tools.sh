#!/usr/bin/env bash
# Installs what the tests need and the machine lacks, quietly. What cannot be
# installed here is printed with what is skipped for the lack of it; what it installs
# on which system is also in internal/toolbox, for the tests.
set -uo pipefail
golangci_version=$1
cd "$(dirname "$0")/.."

have() { command -v "$1" >/dev/null 2>&1; }

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

apt_install() { # package, command, what is skipped without it
  have "$2" && return
  if have apt-get; then
    (as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$1") >/dev/null 2>&1
  fi
  have "$2" || echo "tools: no $2 on this machine: $3"
}

apt_install git git "nothing works without it"
apt_install tmux tmux "tests of interactive sessions are skipped"
apt_install jq jq "the figure that compares the hook with bash and jq cannot be measured"
have google-chrome || have google-chrome-stable || apt_install chromium chromium "tests of the cockpit in a browser are skipped"
[ "$(uname -s)" = Linux ] && apt_install bubblewrap bwrap "tests of the sandbox are skipped"

gobin="$(go env GOPATH)/bin"
if ! "$gobin/golangci-lint" version 2>/dev/null | grep -q "version ${golangci_version#v} "; then
  go install "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@${golangci_version}" >/dev/null 2>&1 ||
    { echo "tools: golangci-lint ${golangci_version} could not be installed"; exit 1; }
fi

apt_install npm npm "tests with the real Claude Code and of accessibility are skipped"
if have npm; then
  bash scripts/fetch-claude.sh >/dev/null || echo "tools: Claude Code could not be fetched: tests with the real program are skipped"
  sh scripts/fetch-axe.sh >/dev/null || echo "tools: axe could not be fetched: tests of accessibility are skipped"
fi
exit 0
