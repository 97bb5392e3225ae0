#!/usr/bin/env bash
# Compares the names of a release's files, which it reads from its input, and what
# the archives and packages among them hold, with the lists in deploy/contents:
#
#	scripts/contents.sh DIST MANUAL <NAMES
#
# In these lists VERSION stands for any version, and man1/* for every page in
# MANUAL/man1: each command has one.
set -euo pipefail
export LC_ALL=C
lists=$(cd "$(dirname "$0")/../deploy/contents" && pwd)
manual=$(cd "$2/man1" && pwd)
cd "$1"
files=$(sed 's,^\./,,')
status=0

# wanted LIST: its lines, man pages one by one.
wanted() {
	local path page
	while read -r path; do
		case $path in
		*/man1/\*) for page in "$manual"/*.1; do echo "${path%\*}${page##*/}"; done ;;
		*) echo "$path" ;;
		esac
	done <"$lists/$1.txt"
}

# What a file holds, folders left out.
names() { sed 's/^\(stellwerk[a-z-]*\)_[^_]*_/\1_VERSION_/; s/^stellwerk-[0-9].*-1\./stellwerk-VERSION-1./' <<<"$files"; }
archive() { tar tzf "$1" | sed -n 's,^[^/]*/\(.*[^/]\)$,\1,p'; }
deb() { dpkg-deb --fsys-tarfile "$1" | tar t | sed -n 's,^\.*\(/.*[^/]\)$,\1,p'; }
rpm_files() { rpm -qp --queryformat '[%{FILEMODES:perms} %{FILENAMES}\n]' "$1" | sed -n 's/^-[^ ]* //p'; }

# compare LIST WHAT COMMAND…: the command prints what there is.
compare() {
	local list=$1 what=$2 found
	shift 2
	found=$("$@" | sort)
	diff <(wanted "$list" | sort) - <<<"$found" && return
	echo "contents: $what differs from deploy/contents/$list.txt (< is missing, > was not expected)" >&2
	status=1
}

# has PROGRAM FILE: a package that nobody can look into is an error on a build server only.
has() {
	command -v "$1" >/dev/null && return
	echo "contents: $2 was not looked into: no $1 on this machine" >&2
	if [ "${CI:-}" = true ]; then status=1; fi
	return 1
}

compare release "the release" names
while read -r file; do
	case $file in
	*.tar.gz) compare archive "$file" archive "$file" ;;
	*.deb) if has dpkg-deb "$file"; then compare package "$file" deb "$file"; fi ;;
	*.rpm) if has rpm "$file"; then compare package "$file" rpm_files "$file"; fi ;;
	esac
done <<<"$files"
sha256sum --check --quiet SHA256SUMS || status=1
exit $status
