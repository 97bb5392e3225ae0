#!/bin/sh
# Installed by Stellwerk while a run works in this repository; taken away when the run ends.
echo "stellwerk: a run works in this repository, so nothing is pushed from it; approve the run and Stellwerk pushes, or end the run and push yourself" >&2
exit 1
