package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

const probeTime = 5 * time.Second

// Detect returns the strongest kind this machine really provides, found out by running a command under it, and the
// reason: what provides it, or why there is only None and what a person can do. It costs one short process; a caller
// asks once and keeps the answer.
func Detect(ctx context.Context) (Kind, string) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	argv, err := Command(Sandbox, Spec{Argv: []string{"/bin/sh", "-c", "test ! -w /usr"}, Dir: "/"})
	if err != nil {
		return None, err.Error() + "; install it, or ask for isolation none"
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return None, fmt.Sprintf("%s is installed but does not work here: %v: %s; user namespaces may be forbidden",
			argv[0], err, firstLine(out))
	}
	return Sandbox, argv[0]
}

func firstLine(out []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return line
}
