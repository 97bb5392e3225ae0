#!/bin/sh
# Where pushes are redirected to.
echo "stellwerk: this push is refused: pushing is Stellwerk's own act after a person's approval; commit your work and end your turn" >&2
exit 1
