package yard

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestACancelledGitThatDoesNotEnd: a program that git started ignores the request
// to end and keeps the output open. Whoever cancelled does not wait for it, and it
// is ended.
func TestACancelledGitThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, in := io.Pipe()
	pid := make(chan int, 1)
	go func() {
		line, _ := bufio.NewReader(out).ReadString('\n') // an empty one is no number
		n, _ := strconv.Atoi(strings.TrimSpace(line))
		pid <- n
		cancel()
	}()
	err := personGit(t.TempDir()).stream(ctx, nil, in, "-c", `alias.linger=!trap "" TERM; echo $$; exec sleep 100000`, "linger")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	lingers := <-pid
	if lingers == 0 {
		t.Fatal("nobody lingered")
	}
	if !waittest.Until(func() bool { return errors.Is(syscall.Kill(lingers, 0), syscall.ESRCH) }) {
		t.Errorf("process %d goes on", lingers)
	}
}
