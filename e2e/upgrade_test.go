package e2e

import (
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
	"github.com/rogpeppe/go-internal/testscript"
)

// upgradeAt is where the state folders of earlier versions were made: they know
// their own place and that of their repositories.
const upgradeAt = "/tmp/stellwerk-upgrade"

// upgrade unpacks what make.sh in testdata/upgrade wrote with an earlier
// version, and makes it this scenario's state folder. One scenario at a time
// has the place; what an interrupted one left there goes.
func upgrade(ts *testscript.TestScript, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: upgrade VERSION")
	}
	archive, err := filepath.Abs(filepath.Join("testdata", "upgrade", args[0]+".tar.gz"))
	ts.Check(err)
	lock := flock.New(upgradeAt + ".lock")
	ts.Check(lock.Lock())
	ts.Defer(func() { ts.Check(lock.Unlock()) })
	ts.Check(os.RemoveAll(upgradeAt))
	ts.Check(os.Mkdir(upgradeAt, 0o700))
	ts.Defer(func() { ts.Check(os.RemoveAll(upgradeAt)) })
	ts.Check(ts.Exec("tar", "-xzf", archive, "-C", upgradeAt, "--no-same-owner"))
	ts.Setenv("STELLWERK_STATE", filepath.Join(upgradeAt, "state"))
	ts.Setenv("UPGRADE", upgradeAt)
}
