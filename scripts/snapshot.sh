#!/usr/bin/env bash
# Builds what a release consists of, without publishing or signing it, from two
# clones of this commit in two folders: each file must be the same to the byte,
# and hold what deploy/contents lists. What was built stays in dist/.
set -euo pipefail
cd "$(dirname "$0")/.."

gobin=$(go env GOPATH)/bin
if ! "$gobin/goreleaser" --version 2>/dev/null | grep -qF "${GORELEASER#v}"; then
	go install "github.com/goreleaser/goreleaser/v2@$GORELEASER"
fi
if [ -n "$(git status --porcelain)" ]; then
	echo "snapshot: there are changes that are not committed, and the snapshot will not have them" >&2
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone --quiet . "$work/source" # so that a commit made meanwhile is in neither build
for build in first second; do
	git clone --quiet "$work/source" "$work/$build"
	(cd "$work/$build" && "$gobin/goreleaser" release --snapshot --clean --skip=sign,publish) >"$work/$build.log" 2>&1 ||
		{ cat "$work/$build.log" && exit 1; }
	# Whatever is published, and nothing that only describes the build itself.
	(cd "$work/$build/dist" && find . \( -name '*.tar.gz' -o -name '*.deb' -o -name '*.rpm' -o -name '*.cdx.json' -o -name '*.rb' -o -name SHA256SUMS \) \
		-type f -print0 | sort -z | xargs -0 sha256sum) >"$work/$build.sums"
done
diff "$work/first.sums" "$work/second.sums" || { echo "snapshot: two builds of one commit differ" && exit 1; }
cut -c 67- "$work/first.sums" | bash scripts/contents.sh "$work/first/dist" "$work/first/bin/manual"
rm -rf dist
mv "$work/first/dist" dist
sed 's/^\(.\{12\}\)[0-9a-f]*/\1/' "$work/first.sums"
echo "snapshot: all that deploy/contents lists, the same bytes in two builds"
