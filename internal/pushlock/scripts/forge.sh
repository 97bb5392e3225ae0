#!/bin/sh
# A forge's client for a session that writes nothing there: asks with the person's own settings, refuses the rest.
. @DIR@/env
. @DIR@/find

name=${0##*/}

refuse() {
	echo "stellwerk: $name $1 is refused: what is written on the forge is Stellwerk's own act; say in your answer what should be written" >&2
	exit 1
}

reads=
case "${1-} ${2-}" in
"pr view" | "pr list" | "pr status" | "pr diff" | "pr checks" | "pr checkout") reads=1 ;;
"mr view" | "mr list" | "mr diff" | "mr checkout" | "ci view" | "ci list" | "ci status" | "ci trace") reads=1 ;;
"issue view" | "issue list" | "issue status") reads=1 ;;
"repo view" | "repo list" | "repo clone") reads=1 ;;
"run view" | "run list" | "run watch" | "run download") reads=1 ;;
"release view" | "release list" | "release download" | "workflow view" | "workflow list" | "label list") reads=1 ;;
"auth status" | "search "* | "status "* | "help "* | "version "* | "completion "* | "--version "* | "--help "* | " ") reads=1 ;;
"pulls list" | "issues list" | "pulls ls" | "issues ls") reads=1 ;;
"api "*)
	reads=1 asks=
	for word; do
		case $word in
		query=*mutation* | query=@*) asks=no ;;
		query=*) asks=${asks:-yes} ;;
		-X* | --method* | -f* | -F* | --field* | --raw-field* | --input* | --form*) reads= ;;
		esac
	done
	[ "$2 $asks" != "graphql yes" ] || reads=1
	;;
esac
for word; do
	case $word in
	--show-token | -t) [ "${1-}" = auth ] && reads= ;;
	esac
done
[ -n "$reads" ] || refuse "${1-} ${2-}"

real=$(find_program "$name") || {
	echo "stellwerk: $name is not installed" >&2
	exit 127
}
unset GH_CONFIG_DIR GLAB_CONFIG_DIR HUB_CONFIG
[ -z "${STELLWERK_PUSHLOCK_GH_CONFIG_DIR-}" ] || export GH_CONFIG_DIR="$STELLWERK_PUSHLOCK_GH_CONFIG_DIR"
[ -z "${STELLWERK_PUSHLOCK_GLAB_CONFIG_DIR-}" ] || export GLAB_CONFIG_DIR="$STELLWERK_PUSHLOCK_GLAB_CONFIG_DIR"
[ -z "${STELLWERK_PUSHLOCK_HUB_CONFIG-}" ] || export HUB_CONFIG="$STELLWERK_PUSHLOCK_HUB_CONFIG"
exec "$real" "$@"
