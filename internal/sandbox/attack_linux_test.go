package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/stellwerk-dev/stellwerk/internal/usertest"
)

// TestMain makes this binary the attacker, too: a program that is started inside a sandbox and says what it achieved.
func TestMain(m *testing.M) {
	attacks := map[string]func() []string{
		"keys": attackKeys, "namespaces": attackNamespaces, "cgroups": attackCgroups, "person": bePerson, "keeper": keepKeys,
		"session": searchSession,
	}
	if len(os.Args) > 1 {
		if attack, ok := attacks[os.Args[1]]; ok {
			runtime.LockOSThread()
			if err := json.NewEncoder(os.Stdout).Encode(attack()); err != nil {
				panic(err)
			}
			os.Exit(0)
		}
	}
	if err := ownSystem(); err != nil {
		fmt.Println("files of these tests below /opt and /usr/local are everybody's:", err)
	}
	os.Exit(m.Run())
}

// ownSystem gives root's tests an /opt and a /usr/local that nobody else sees change: what they put there and take away
// would be in the way of every sandbox that another program starts at that moment.
func ownSystem() error {
	if os.Geteuid() != 0 {
		return nil
	}
	const begun = "STELLWERK_TEST_SYSTEM"
	if os.Getenv(begun) == "" {
		runtime.LockOSThread()
		if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
			return err
		}
		return unix.Exec("/proc/self/exe", os.Args, append(os.Environ(), begun+"=1")) // so that it holds for every thread
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	const kept = "/mnt" // not shown in a sandbox
	if err := unix.Mount("tmpfs", kept, "tmpfs", 0, ""); err != nil {
		return err
	}
	for _, path := range []string{"/opt", "/usr/local"} {
		upper, work := filepath.Join(kept, path, "upper"), filepath.Join(kept, path, "work")
		if err := errors.Join(os.MkdirAll(upper, 0o755), os.MkdirAll(work, 0o755)); err != nil {
			return err
		}
		if err := unix.Mount("overlay", path, "overlay", 0, fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", path, upper, work)); err != nil {
			return err
		}
	}
	return nil
}

// user is somebody to run a sandbox as.
type user struct{ usertest.User }

// asEverybody runs a test as who runs the tests, and if that is root, as an ordinary user, too.
func asEverybody(t *testing.T, test func(t *testing.T, u user)) {
	requireSandbox(t)
	usertest.Everybody(t, func(t *testing.T, u usertest.User) { test(t, user{u}) })
}

// spec starts this binary as an attacker inside.
func (u user) spec(args ...string) Spec {
	return Spec{Argv: append([]string{u.Self}, args...), Dir: u.Dir, Writable: []string{u.Dir}, Env: []string{"PATH=/usr/bin:/bin"}}
}

// achieved is what an attacker printed.
func achieved(t *testing.T, out string, err error) []string {
	t.Helper()
	var list []string
	if err != nil || json.Unmarshal([]byte(out), &list) != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return list
}

func TestASandboxRunsAsWhoStartsIt(t *testing.T) {
	asEverybody(t, func(t *testing.T, u user) {
		out, err := inside(t, Spec{Dir: u.Dir, Writable: []string{u.Dir}}, u.Attr, "id -u && echo ok > file && cat file && git --version")
		if err != nil || !strings.HasPrefix(out, fmt.Sprintf("%d\nok\ngit version", u.ID)) {
			t.Errorf("%v: %s", err, out)
		}
	})
}

func TestNamespacesCannotBeMade(t *testing.T) {
	asEverybody(t, func(t *testing.T, u user) {
		launch, err := Command(Sandbox, u.spec("namespaces"))
		if err != nil {
			t.Fatal(err)
		}
		out, err := launched(t, launch, nil, u.Attr)
		for _, what := range achieved(t, out, err) {
			t.Error("inside was possible:", what)
		}
	})
}

// attackNamespaces makes a child in each kind of namespace, with a user namespace and without.
func attackNamespaces() []string {
	var done []string
	flags := map[string]uintptr{
		"mount": unix.CLONE_NEWNS, "cgroup": unix.CLONE_NEWCGROUP, "pid": unix.CLONE_NEWPID, "network": unix.CLONE_NEWNET,
		"ipc": unix.CLONE_NEWIPC, "uts": unix.CLONE_NEWUTS, "user": unix.CLONE_NEWUSER,
	}
	for name, flag := range flags {
		for beside, user := range map[string]uintptr{"alone": 0, "with a user namespace": unix.CLONE_NEWUSER} {
			cmd := exec.Command("/bin/true")
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flag | user}
			if cmd.Run() == nil {
				done = append(done, name+" "+beside)
			}
		}
		if unix.Unshare(int(flag)) == nil {
			done = append(done, "unshare "+name)
		}
	}
	if err := unix.Mount("none", "/tmp", "tmpfs", 0, ""); err == nil {
		done = append(done, "mount")
	}
	return done
}

// TestProcessesOutsideStayAlive has root inside look for a way to the machine's cgroups, and kill by it.
func TestProcessesOutsideStayAlive(t *testing.T) {
	group := victimGroup(t)
	asEverybody(t, func(t *testing.T, u user) {
		victim := exec.Command("/bin/sleep", "1000")
		if err := victim.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- victim.Wait() }()
		defer func() { _ = victim.Process.Kill(); <-ended }()
		write(t, filepath.Join(group, "cgroup.procs"), fmt.Sprint(victim.Process.Pid))
		launch, err := Command(Sandbox, u.spec("cgroups", filepath.Base(group)))
		if err != nil {
			t.Fatal(err)
		}
		out, err := launched(t, launch, nil, u.Attr)
		for _, what := range achieved(t, out, err) {
			t.Error("inside was possible:", what)
		}
		if err := victim.Process.Signal(syscall.Signal(0)); err != nil {
			t.Error("the process outside is dead:", err)
		}
	})
}

// victimGroup is a cgroup of this machine that can be killed as a whole.
func victimGroup(t *testing.T) string {
	t.Helper()
	for _, root := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		if _, err := os.Stat(filepath.Join(root, "cgroup.procs")); err != nil {
			continue
		}
		group, err := os.MkdirTemp(root, "stellwerk-test-")
		if err != nil {
			t.Skipf("no cgroup can be made here: %v", err)
		}
		t.Cleanup(func() {
			if err := os.Remove(group); err != nil {
				t.Error(err)
			}
		})
		return group
	}
	t.Skip("this machine has no unified cgroups")
	return ""
}

// attackCgroups needs no more than a user namespace: in it the attacker may mount.
func attackCgroups() []string {
	if len(os.Args) < 4 {
		cmd := exec.Command(os.Args[0], "cgroups", os.Args[2], "in its own namespaces")
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP, AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN},
		}
		out, err := cmd.Output()
		if err != nil {
			return nil
		}
		return []string{strings.TrimSpace(string(out))}
	}
	done := []string{"namespaces"}
	if err := unix.Mount("none", "/tmp", "cgroup2", 0, ""); err != nil {
		return append(done, err.Error())
	}
	for _, file := range []string{"cgroup.freeze", "cgroup.kill"} {
		if err := os.WriteFile(filepath.Join("/tmp", os.Args[2], file), []byte("1"), 0); err == nil {
			done = append(done, file)
		}
	}
	return done
}
