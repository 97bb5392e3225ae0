#!/bin/sh
# Builds the Gitea that the tests run from its Go module, and places it under
# the user's cache folder with the files it reads, unless it is there already.
# Its web pages are left out: the API works without. Needs Go and a C compiler,
# some ten minutes on two cores, and 3 GB in the meantime. Prints the folder.
set -eu

version=1.26.0

# The folder Go's os.UserCacheDir names.
if [ "$(uname -s)" = Darwin ]; then
	cache=$HOME/Library/Caches
else
	cache=${XDG_CACHE_HOME:-$HOME/.cache}
fi
folder=$cache/stellwerk-tools/gitea-$version

if [ -x "$folder/gitea" ]; then
	echo "$folder"
	exit 0
fi

mkdir -p "$folder"
work=$(mktemp -d "$folder/build.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# Modules and object files of its own, so that nothing of them stays behind.
export GOPATH="$work/path" GOCACHE="$work/cache" GOFLAGS="-modcacherw -buildvcs=false" GOWORK=off
cd "$work"
go mod download "code.gitea.io/gitea@v$version" >&2
source=$GOPATH/pkg/mod/code.gitea.io/gitea@v$version
cd "$source"
CGO_ENABLED=1 nice go build -tags "sqlite sqlite_unlock_notify" -ldflags "-s -w -X main.Version=$version" -o "$work/gitea" . >&2
rm -rf "$folder/static"
mkdir "$folder/static"
cp -R options templates public "$folder/static/"
mv "$work/gitea" "$folder/gitea"
echo "$folder"
