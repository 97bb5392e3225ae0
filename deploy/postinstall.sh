#!/bin/sh
# After the package was installed or upgraded. The service is neither enabled nor
# restarted: an engine that runs keeps its agents, and is restarted when it suits.
set -e
if command -v systemd-sysusers >/dev/null 2>&1; then
	systemd-sysusers stellwerk.conf
fi
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
fi
