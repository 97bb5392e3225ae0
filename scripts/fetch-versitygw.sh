#!/bin/sh
# Builds the S3 server that the tests run, versitygw, under the user's cache folder,
# unless it is there already: minutes of one processor, once. Prints its path.
set -eu

version=1.8.0

# The folder Go's os.UserCacheDir names.
if [ "$(uname -s)" = Darwin ]; then
	cache=$HOME/Library/Caches
else
	cache=${XDG_CACHE_HOME:-$HOME/.cache}
fi
folder=$cache/stellwerk-tools/versitygw-$version
program=$folder/versitygw

if [ -x "$program" ]; then
	echo "$program"
	exit 0
fi

mkdir -p "$folder"
work=$(mktemp -d "$folder/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

GOBIN=$work GOFLAGS=-trimpath CGO_ENABLED=0 nice -n 19 "${GO:-go}" install "github.com/versity/versitygw/cmd/versitygw@v$version"
# A rename, so that a half-written program is never found.
mv -f "$work/versitygw" "$program"
echo "$program"
