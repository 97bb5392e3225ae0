package statefolder

import (
	"context"
	"os/exec"
	"strings"
)

// systemID is the id of the hardware; "" if the system does not say.
func systemID(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "/usr/sbin/ioreg", "-rd1", "-c", "IOPlatformExpertDevice").Output()
	if err != nil {
		return ""
	}
	_, after, _ := strings.Cut(string(out), `"IOPlatformUUID" = "`)
	id, _, _ := strings.Cut(after, `"`)
	return id
}
