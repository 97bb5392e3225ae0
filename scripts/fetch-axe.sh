#!/bin/sh
# Places axe, which judges how accessible a page is, under the user's cache
# folder for the tests, unless it is there already. Prints its path.
set -eu

version=4.10.3

# The folder Go's os.UserCacheDir names.
if [ "$(uname -s)" = Darwin ]; then
	cache=$HOME/Library/Caches
else
	cache=${XDG_CACHE_HOME:-$HOME/.cache}
fi
folder=$cache/stellwerk-tools/axe-$version
program=$folder/axe.min.js

if [ -s "$program" ]; then
	echo "$program"
	exit 0
fi
if ! command -v npm >/dev/null 2>&1; then
	echo "fetch-axe: npm is needed to fetch axe-core $version" >&2
	exit 1
fi

mkdir -p "$folder"
work=$(mktemp -d "$folder/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

(cd "$work" && npm pack --silent --ignore-scripts "axe-core@$version" >archive)
tar -xzf "$work/$(cat "$work/archive")" -C "$work" package/axe.min.js
# A rename, so that a half-written program is never found.
mv -f "$work/package/axe.min.js" "$program"
echo "$program"
