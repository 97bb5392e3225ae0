#!/bin/sh
# git for a session that pushes nothing: refuses the verbs that write to a remote, hands on everything else.
. @DIR@/env
. @DIR@/find

refuse() {
	echo "stellwerk: git $1 is refused: pushing is Stellwerk's own act after a person's approval; commit your work and end your turn" >&2
	exit 1
}

verb= skip=
for word; do
	if [ -n "$skip" ]; then
		skip=
		continue
	fi
	case $word in
	-C | -c | --git-dir | --work-tree | --namespace | --super-prefix | --config-env | --attr-source) skip=1 ;;
	-*) ;;
	*)
		verb=$word
		break
		;;
	esac
done

case $verb in
push | send-pack | http-push | receive-pack | remote-*) refuse "$verb" ;;
subtree | lfs | svn | p4)
	for word; do
		case $word in
		push | pre-push | dcommit | commit-diff | submit) refuse "$verb $word" ;;
		esac
	done
	;;
esac

real=$(find_program git) || {
	echo "stellwerk: git is not installed" >&2
	exit 127
}
exec "$real" "$@"
