#!/usr/bin/env bash
# Writes a state folder with a PROGRAM of some version, for the test that a later
# version goes on with it: one open run of each kind of playbook, and some that are
# paused: after failed attempts, for money, for an input, by a person.
#
#   e2e/testdata/upgrade/make.sh PROGRAM VERSION     writes VERSION.tar.gz beside this script
#
# The folder knows its own place and that of the repositories, so all of it is
# made, and later unpacked, at one path.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "$1") version=$2
at=/tmp/stellwerk-upgrade

[ ! -e "$at" ] || { echo "make.sh: $at exists already" >&2; exit 1; }
trap 'rm -rf "$at"' EXIT
mkdir -m 0700 "$at"
cp -R "$here"/repos/. "$at"

# Nothing of this machine gets in: no settings and no identity.
sw() {
  env -i PATH=/usr/local/bin:/usr/bin:/bin HOME="$at/home" STELLWERK_STATE="$at/state" STELLWERK_NOTIFY=off STELLWERK_LISTEN=off \
    LANG=C.UTF-8 TZ=UTC GIT_CONFIG_NOSYSTEM=1 "$program" "$@"
}
waiting() { # COMMAND...: one that ends waiting for a person
  local status=0
  "$@" || status=$?
  [ "$status" = 3 ] || { echo "make.sh: exit $status instead of 3: $*" >&2; exit 1; }
}
mkdir "$at/home"
export HOME="$at/home" GIT_CONFIG_NOSYSTEM=1
git config --global user.name Stellwerk
git config --global user.email stellwerk@example.com
for repo in phases rules manager waves pauses; do
  git -C "$at/$repo" init -q --template= -b main
  git -C "$at/$repo" add -A
  git -C "$at/$repo" commit -q -m "$repo"
done

cd "$at/phases"
waiting sw run 'Greet the reader' --playbook greet --trust
waiting sw approve greet-the-reader
waiting sw run 'Doubt' --playbook stuck --trust
cd "$at/rules"
waiting sw run 'Greet people' --playbook steps --trust
waiting sw approve greet-people
cd "$at/manager"
waiting sw run 'Greet with a manager' --playbook team --trust
cd "$at/waves"
waiting sw run 'Choose a licence' --playbook study --trust
cd "$at/pauses"
waiting sw run 'Spend' --playbook costly --trust --max-cost 1
waiting sw run 'Need' --playbook needy --trust
waiting sw skip need
waiting sw run 'Lunch' --playbook needy
sw pause lunch
sw status

# A copy of the program, and what an engine holds while it runs.
rm -rf "$at/state/bin" "$at"/state/engine.*
tar -C "$at" --sort=name --owner=0 --group=0 -czf "$here/$version.tar.gz" phases rules manager waves pauses state
ls -l "$here/$version.tar.gz"
