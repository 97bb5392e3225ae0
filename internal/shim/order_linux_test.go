package shim_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/resource"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
)

// ahead runs a shim that was started ahead of an attempt, with what its starter writes before it is gone.
func ahead(t *testing.T, owner, order string) (said string, code int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(t.Context(), self, shimtest.RoleAhead, owner)
	cmd.Env = append(shim.HostEnvironment(os.Environ()), shimtest.QuickExit)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(order), &out, &out
	_ = cmd.Run() // the code says it
	return out.String(), cmd.ProcessState.ExitCode()
}

// groupsOf are the control groups of an owner.
func groupsOf(t *testing.T, owner string) (found []string) {
	t.Helper()
	err := filepath.WalkDir("/sys/fs/cgroup", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && strings.Contains(path, "/"+owner) {
			found = append(found, path)
		}
		return nil // others come and go
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestShimWithoutAWholeOrder does nothing: its starter ended, also in the midst of an order, or the attempt is gone. It repeats no
// secret and leaves no group.
func TestShimWithoutAWholeOrder(t *testing.T) {
	folder := t.TempDir()
	whole := fmt.Sprintf(`{"folder":%q,"env":["TOKEN=s3cret"]}`, folder)
	for name, c := range map[string]struct {
		order string
		code  int
	}{
		"none":          {"", 0},
		"half":          {whole[:len(whole)-5], 1},
		"all but one":   {whole[:len(whole)-1], 1},
		"no order":      {"s3cret\n", 1},
		"folder's gone": {strings.Replace(whole, folder, folder+"/gone", 1), 1},
	} {
		t.Run(name, func(t *testing.T) {
			owner := fmt.Sprintf("stellwerk-test-%d-ahead", os.Getpid())
			said, code := ahead(t, owner, c.order)
			if code != c.code || strings.Contains(said, "s3cret") {
				t.Errorf("it ended with %d and said %q", code, said)
			}
			if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
				t.Errorf("it left %v, %v", left, err)
			}
			if left := groupsOf(t, owner); len(left) > 0 {
				t.Errorf("it left the groups %v", left)
			}
		})
	}
}

// TestShimAnswers that it has its order before it touches the attempt, which it leaves alone if nobody waits for the answer.
func TestShimAnswers(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, waits := range map[string]bool{"waited for": true, "given up": false} {
		t.Run(name, func(t *testing.T) {
			a := shimtest.New(t, sandbox.None, "true")
			answer, giver, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			folder := a.Folder
			if waits {
				folder += "/gone" // the attempt fails, after the answer
			} else if err := answer.Close(); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), self, shimtest.RoleAhead, "stellwerk-test")
			cmd.Env = append(shim.HostEnvironment(os.Environ()), shimtest.QuickExit, shim.VariableDone+"=3")
			cmd.Stdin, cmd.ExtraFiles = strings.NewReader(fmt.Sprintf(`{"folder":%q,"answer":true}`, folder)), []*os.File{giver}
			_ = cmd.Run() // the code says it
			if err := giver.Close(); err != nil {
				t.Fatal(err)
			}
			if waits {
				if said, err := io.ReadAll(answer); err != nil || len(said) != 1 {
					t.Errorf("it answers %q, %v", said, err)
				}
				return
			}
			state, err := shim.Look(a.Folder)
			if err != nil || state != shim.StateAbsent || cmd.ProcessState.ExitCode() != 0 || shimtest.Exists(t, filepath.Join(a.Folder, shim.LogFile)) {
				t.Errorf("the attempt is %v, %v; it ended with %d", state, err, cmd.ProcessState.ExitCode())
			}
		})
	}
}

// TestShimWithAnOrder carries it out and ends. The secrets are nowhere that others can read them.
func TestShimWithAnOrder(t *testing.T) {
	a := shimtest.New(t, sandbox.None, `tr '\0' '\n' < /proc/$PPID/environ | grep -c s3cret; readlink /proc/$PPID/fd/0; echo "$TOKEN" | wc -c`,
		func(s *shim.Spec) { s.Secrets = []string{"TOKEN"} })
	said, code := ahead(t, "stellwerk-test", fmt.Sprintf(`{"folder":%q,"env":["TOKEN=s3cret"]}`, a.Folder))
	if got := strings.Join(a.Said(t, "text"), " "); code != 0 || got != "0 /dev/null 7" {
		t.Errorf("it ended with %d and said %q; the agent says %q", code, said, got)
	}
}

// TestGroupOfTheHandIn: it is the agent's in the agent's sandbox. A sandbox of its own is in the reserved one, which was made while
// the agent ran. Every group is gone when the shim ends. What git calls in the workspace holds the hand-in up.
func TestGroupOfTheHandIn(t *testing.T) {
	probe := shim.Reserve(fmt.Sprintf("stellwerk-test-%d-probe", os.Getpid()), "probe")
	if probe == nil {
		t.Skip("this machine has no cgroup v1, so no group is reserved ahead")
	}
	probe.Close()
	onlySandbox(t)
	for open, group := range map[bool]string{false: "aa1", true: "next"} {
		t.Run(group, func(t *testing.T) {
			testGroupOfTheHandIn(t, group, shimtest.New(t, sandbox.Sandbox, heldUp, bounded(t, resource.Limits{Processes: 500}),
				func(s *shim.Spec) { s.Network.Open = open }))
		})
	}
}

func testGroupOfTheHandIn(t *testing.T, want string, a shimtest.Attempt) {
	t.Helper()
	owner := a.Spec.Resources.Owner
	cmd := a.Command(t, shimtest.RoleWorker)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	shimtest.Await(t, "the hand-in", func() bool { return shimtest.Exists(t, filepath.Join(a.Workspace, "waits")) })
	inside := 0
	for _, group := range groupsOf(t, owner) {
		procs, err := os.ReadFile(filepath.Join(group, "cgroup.procs"))
		if err != nil {
			continue
		}
		// The shim's thread that started the agent may still be on its way out of the agent's group.
		if slices.ContainsFunc(strings.Fields(string(procs)), func(pid string) bool { return pid != fmt.Sprint(cmd.Process.Pid) }) {
			inside++
			if name := filepath.Base(group); name != fmt.Sprintf("%s.%d", want, cmd.Process.Pid) {
				t.Errorf("the hand-in is in %s", group)
			}
		}
	}
	if inside == 0 {
		t.Error("the hand-in is in no group")
	}
	shimtest.Write(t, filepath.Join(a.Workspace, "go"), "")
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if exit := a.Exit(t); exit.HandIn == nil || exit.HandIn.Error != "" {
		t.Errorf("handed in is %+v", exit.HandIn)
	}
	if left := groupsOf(t, owner+"/"); len(left) > 0 {
		t.Errorf("left are the groups %v", left)
	}
}
