package e2e

import (
	"github.com/rogpeppe/go-internal/testscript"
)

// databasesKey is where a scenario finds who makes its databases.
type databasesKey struct{}

// sharedStores are:
//
//	database NAME    makes an empty PostgreSQL database and puts its address into a variable
func sharedStores() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"database": plain(func(ts *testscript.TestScript, args []string) {
			if len(args) != 1 {
				ts.Fatalf("usage: database NAME")
			}
			open, _ := ts.Value(databasesKey{}).(func() string)
			ts.Setenv(args[0], open())
		}),
	}
}
