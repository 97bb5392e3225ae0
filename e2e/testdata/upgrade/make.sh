#!/usr/bin/env bash
# Writes a state folder with a PROGRAM of some version, for the test that a later
# version goes on with it: one open run of each kind of playbook, and some that are
# paused: after failed attempts, for money, for an input, by a person. And what
# people have: a token, which lies beside the state folder, a comment that was not
# sent, a pull request, a notice that nobody took.
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
sw() { # [-- NAME=VALUE...] ARGUMENT...
  local with=()
  if [ "$1" = -- ]; then
    shift
    while [[ $1 == *=* ]]; do with+=("$1"); shift; done
  fi
  env -i PATH=/usr/local/bin:/usr/bin:/bin HOME="$at/home" STELLWERK_STATE="$at/state" STELLWERK_NOTIFY=off STELLWERK_LISTEN=off \
    LANG=C.UTF-8 TZ=UTC GIT_CONFIG_NOSYSTEM=1 "${with[@]}" "$program" "$@"
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

cd "$at/phases"
waiting sw run 'Publish it' --playbook greet
until sw approve publish-it; do [ $? = 3 ]; done
hooked=(STELLWERK_NOTIFY=webhook STELLWERK_NOTIFY_WEBHOOK_URL=http://127.0.0.1:17342/hook STELLWERK_NOTIFY_WEBHOOK_SECRET_ENV=HOOK_SECRET
  HOOK_SECRET=correct-horse-battery-staple STELLWERK_NOTIFY_PRIVATE_HOSTS=127.0.0.1)
waiting sw -- "${hooked[@]}" run 'Tell me' --playbook greet
site=http://127.0.0.1:17341
sw -- "${hooked[@]}" STELLWERK_LISTEN=127.0.0.1:17341 serve --detach
sw tokens add ada --role approver | grep -o 'stw_[0-9a-f]*' > "$at/token"
code=$(curl -sS -f -X POST -H "Authorization: Bearer $(cat "$at/token")" -H 'Content-Type: application/json' -d '{}' "$site/v1/sign-in" | grep -o '"code":"[^"]*"' | cut -d'"' -f4)
curl -sS -f -o /dev/null -c "$at/cookies" -H "Origin: $site" --data-urlencode "code=$code" "$site/sign-in"
alias=$(sw status --json | grep -o '"greet-the-reader[^"]*"' | head -1 | tr -d '"')
curl -sS -f -o /dev/null -b "$at/cookies" -H "Origin: $site" --data-urlencode "key=k" --data-urlencode "path=greeting.txt" --data-urlencode "line=1" \
  --data-urlencode "quote=x" --data-urlencode "text=Say it in rhyme." --data-urlencode "commit=abc123" "$site/runs/$alias/changes/comment"
sw stop
rm "$at/cookies"

# A copy of the program, and what an engine holds while it runs.
rm -rf "$at/state/bin" "$at"/state/engine.*
tar -C "$at" --sort=name --owner=0 --group=0 -czf "$here/$version.tar.gz" phases rules manager waves pauses state token
ls -l "$here/$version.tar.gz"
