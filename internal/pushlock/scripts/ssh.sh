#!/bin/sh
# ssh for git in a session that pushes nothing: fetching is handed on, everything else is refused.
last=
for last; do :; done
case "${1-} $last" in
-G\ * | -V\ * | *" git-upload-pack "* | *" git upload-pack "* | *" git-upload-archive "* | *" git-lfs-authenticate "*" download"*) ;;
*)
	echo "stellwerk: writing over ssh is refused: pushing is Stellwerk's own act after a person's approval; commit your work and end your turn" >&2
	exit 1
	;;
esac
command=${STELLWERK_PUSHLOCK_GIT_SSH_COMMAND-}
[ -n "$command" ] || command=$(git config --get core.sshCommand 2>/dev/null)
if [ -n "$command" ]; then
	exec sh -c "$command \"\$@\"" ssh "$@"
fi
exec "${STELLWERK_PUSHLOCK_GIT_SSH:-ssh}" "$@"
