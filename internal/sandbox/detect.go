package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"
)

const probeTime = 30 * time.Second

// Detect returns the strongest kind this machine really provides, and the reason: what provides it, or why there is only None
// and what a person can do. It finds out by running a command under it with a closed network. That costs one short process;
// a caller asks once and keeps the answer.
func Detect(ctx context.Context) (Kind, string) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	launch, err := Command(Sandbox, Spec{
		Argv: []string{"/bin/sh", "-c", "test ! -w /usr"}, Dir: "/", Private: []string{}, Network: Network{Closed: true}, Brief: true,
	})
	if err != nil {
		return None, err.Error() + "; install it, or use --isolation none"
	}
	program := launch.Argv[0]
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, program, launch.Argv[1:]...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &out, time.Second
	done, err := launch.Start(cmd)
	if err != nil {
		return None, fmt.Sprintf("%s does not start: %v", program, err)
	}
	<-done
	if _, err := launch.Unrouted(); err != nil {
		return None, fmt.Sprintf("%s does not close the network: %v", program, err)
	}
	if !cmd.ProcessState.Success() {
		return None, fmt.Sprintf("%s is installed but does not work here: %v: %s; %s",
			program, cmd.ProcessState, firstLine(out.Bytes()), cmp.Or(forbidden(kernelSettings, os.Geteuid(), program).why, "user namespaces may be forbidden"))
	}
	return Sandbox, program
}
