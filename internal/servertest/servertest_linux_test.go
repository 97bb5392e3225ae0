package servertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// mortal runs do on a thread that ends after it, which the program's first never does, and returns the thread's number.
func mortal(do func()) (thread int) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if thread = syscall.Gettid(); thread == os.Getpid() {
			thread = mortal(do)
			return
		}
		do()
	}()
	<-done
	return thread
}

// TestAServerOutlivesTheThreadThatAskedForIt: the kernel takes the end of a thread for the death of the parent.
func TestAServerOutlivesTheThreadThatAskedForIt(t *testing.T) {
	dir := t.TempDir()
	log, begun := filepath.Join(dir, "log"), filepath.Join(dir, "begun")
	const server = `trap 'echo was told to end' TERM; trap 'echo was asked' WINCH; touch "$0"; while :; do sleep 0.02; done`
	var p *Process
	var err error
	thread := mortal(func() {
		p, err = Start(exec.Command("sh", "-c", server, begun), syscall.SIGTERM, log)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		<-p.Exited()
	})
	there := func(path string) bool { _, err := os.Stat(path); return err == nil }
	if !waittest.Until(func() bool { return there(begun) && !there(fmt.Sprint("/proc/self/task/", thread)) }) {
		t.Fatal("the server never begins, or the thread never ends")
	}
	if err := p.cmd.Process.Signal(syscall.SIGWINCH); err != nil {
		t.Fatal(err)
	}
	said := ""
	waittest.Until(func() bool {
		text, err := os.ReadFile(log)
		said = string(text)
		return err != nil || strings.Contains(said, "was asked")
	})
	if said != "was asked\n" {
		t.Errorf("it says %q", said)
	}
}

func TestAServerThatEndsAtOnce(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	p, err := Start(exec.Command("sh", "-c", "echo no room; exit 3"), syscall.SIGKILL, log)
	if err != nil {
		t.Fatal(err)
	}
	err = p.Await(func(context.Context) error { return errors.New("not yet") })
	if err == nil || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "no room") {
		t.Errorf("it says %v", err)
	}
	p.Kill()
}
