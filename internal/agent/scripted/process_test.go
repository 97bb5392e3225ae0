package scripted

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

func TestHangEndsOnlyWithAKill(t *testing.T) {
	a := prepare(t, do("hang: {ignore_term: true}"))
	a.start(t)
	output, err := a.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := a.command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(output)
	if !lines.Scan() || !strings.Contains(lines.Text(), "ignoring signals") {
		t.Fatalf("it said %q", lines.Text())
	}
	if err := a.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	// The signal may not have arrived yet, so ask the system where it can tell.
	if status, err := os.ReadFile("/proc/" + strconv.Itoa(a.command.Process.Pid) + "/status"); err == nil {
		_, mask, _ := strings.Cut(string(status), "SigIgn:")
		ignored, err := strconv.ParseUint(strings.Fields(mask)[0], 16, 64)
		if err != nil || ignored&(1<<(syscall.SIGTERM-1)) == 0 {
			t.Errorf("TERM is not ignored: mask %x, %v", ignored, err)
		}
	}
	if err := a.command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := a.command.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("it ended with %v, not by the kill", err)
	}
}

func TestHangEndsWithATerm(t *testing.T) {
	a := prepare(t, do("say: waiting", "hang: {}"))
	a.start(t)
	output, err := a.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := a.command.Start(); err != nil {
		t.Fatal(err)
	}
	if lines := bufio.NewScanner(output); !lines.Scan() {
		t.Fatal("it said nothing")
	}
	if err := a.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := a.command.Wait(); a.command.ProcessState.ExitCode() != exitTerminated {
		t.Errorf("it ended with %v", err)
	}
}

func TestDaemonOutlivesThePlay(t *testing.T) {
	a := prepare(t, do(`spawn_daemon: {run: "echo $$ > pid.tmp; mv pid.tmp pid; exec sleep 600"}`, `run: "until test -f pid; do sleep 0.01; done"`))
	a.run(t)
	pid, err := strconv.Atoi(strings.TrimSpace(a.read(t, filepath.Join(a.job.Dir, "pid"))))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
	if err := syscall.Kill(pid, 0); err != nil {
		t.Fatalf("the daemon is gone: %v", err)
	}
	group, err := syscall.Getpgid(pid)
	if err != nil || group != pid {
		t.Errorf("process group %d: %v; want the daemon to lead its own", group, err)
	}
}

func TestDaemonKeepsTheOutputOpen(t *testing.T) {
	for keep, want := range map[string]int{"true": 1, "false": 0} {
		a := prepare(t, do("spawn_daemon: {run: echo late, keep_output: "+keep+"}"))
		a.run(t)
		late := 0
		for _, record := range a.records {
			if record.Kind == agent.KindRaw && record.Text == "late" {
				late++
			}
		}
		if late != want || !a.outcome.OK {
			t.Errorf("keep_output %s: %d late lines, want %d; outcome %+v", keep, late, want, a.outcome)
		}
	}
}
