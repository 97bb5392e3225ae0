package statefolder

import (
	"context"
	"os"
	"strings"
)

// systemID is the id of the installation; "" if it has none, as in many containers.
func systemID(context.Context) string {
	id, err := os.ReadFile("/etc/machine-id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}
