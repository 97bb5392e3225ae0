package config

import (
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// StoreInFolder is the place of a store that is a file in the state folder.
const StoreInFolder = "sqlite"

// MoveTarget is where the flag --to has a store moved: the address of a database, or "" for the state folder. A password is refused as
// with --store; one in STELLWERK_STORE is used if that names the same database.
func MoveTarget(flag string, env func(string) string) (address string, err error) {
	if flag == StoreInFolder {
		return "", nil
	}
	if !IsDatabase(flag) {
		return "", core.Errorf(core.CodeInvalid, "--to does not begin with postgres://, and is not %s", StoreInFolder).
			WithHint("write it as postgres://USER@HOST:PORT/DATABASE, or %s for a file in the state folder", StoreInFolder)
	}
	u, err := readAddress(flag)
	if err != nil {
		return "", unreadableAddress("the address of --to")
	}
	if hasPassword(u) {
		return "", shownPassword("--to")
	}
	if known := env(StoreVariable); WithoutPassword(known) == WithoutPassword(flag) {
		return known, nil
	}
	return flag, nil
}
