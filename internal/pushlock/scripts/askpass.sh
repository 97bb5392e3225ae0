#!/bin/sh
# Stands where a password would be asked for.
echo "stellwerk: no credential is given to this session; fetching and pushing with one is Stellwerk's own act" >&2
exit 1
