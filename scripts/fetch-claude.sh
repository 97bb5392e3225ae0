#!/bin/sh
# Places the Claude Code program that the tests run under the user's cache
# folder, unless it is there already. Prints the path of the program.
set -eu

version=2.1.325

case "$(uname -s)-$(uname -m)" in
Linux-x86_64) platform=linux-x64 ;;
Linux-aarch64) platform=linux-arm64 ;;
Darwin-x86_64) platform=darwin-x64 ;;
Darwin-arm64) platform=darwin-arm64 ;;
*)
	echo "fetch-claude: no Claude Code program for $(uname -s) on $(uname -m)" >&2
	exit 1
	;;
esac

# The folder Go's os.UserCacheDir names.
if [ "$(uname -s)" = Darwin ]; then
	cache=$HOME/Library/Caches
else
	cache=${XDG_CACHE_HOME:-$HOME/.cache}
fi
folder=$cache/stellwerk-tools/claude-$version
program=$folder/claude

if [ -x "$program" ]; then
	echo "$program"
	exit 0
fi
if ! command -v npm >/dev/null 2>&1; then
	echo "fetch-claude: npm is needed to fetch Claude Code $version" >&2
	exit 1
fi

mkdir -p "$folder"
work=$(mktemp -d "$folder/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# The platform's package holds the program itself; packing it runs no script.
(cd "$work" && npm pack --silent --ignore-scripts "@anthropic-ai/claude-code-$platform@$version" >archive)
tar -xzf "$work/$(cat "$work/archive")" -C "$work" package/claude
chmod 0755 "$work/package/claude"
# A rename, so that a half-written program is never found.
mv -f "$work/package/claude" "$program"
echo "$program"
