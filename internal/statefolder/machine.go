package statefolder

import (
	"cmp"
	"context"
	"os"
)

// Machine tells this machine apart from others. It outlasts a new name of the host, if the system has an id.
func Machine(ctx context.Context) string { return cmp.Or(systemID(ctx), Host()) }

// Host is the machine's name, for people.
func Host() string {
	name, err := os.Hostname()
	if err != nil {
		return "an unknown host"
	}
	return name
}
