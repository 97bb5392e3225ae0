package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/stellwerk-dev/stellwerk/internal/usertest"
)

const (
	keyName    = "stellwerk-test-key"
	keySecret  = "the person's password"
	keyPlanted = "stellwerk-test-planted"
)

func rings() map[string]int {
	return map[string]int{
		"session": unix.KEY_SPEC_SESSION_KEYRING, "user": unix.KEY_SPEC_USER_KEYRING,
		"user session": unix.KEY_SPEC_USER_SESSION_KEYRING,
	}
}

// TestKeyringsAreOutOfReach has a person with a key in each of their keyrings run an attacker in a sandbox.
func TestKeyringsAreOutOfReach(t *testing.T) {
	_, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_PROCESS_KEYRING, true)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		t.Skipf("no keyrings on this machine: %v", err)
	}
	asEverybody(t, func(t *testing.T, u user) {
		cmd := exec.Command(u.Self, "person", u.Self, u.Dir)
		cmd.Dir, cmd.SysProcAttr, cmd.Env = u.Dir, u.Attr, []string{"PATH=/usr/bin:/bin"}
		out, err := cmd.CombinedOutput()
		for _, what := range achieved(t, string(out), err) {
			t.Error(what)
		}
	})
}

// bePerson begins a login of its own, puts a key into each keyring and goes on as keeper: a keyring is a thread's until a
// program is executed.
func bePerson() []string {
	if _, err := unix.KeyctlInt(unix.KEYCTL_JOIN_SESSION_KEYRING, 0, 0, 0, 0); err != nil {
		return []string{err.Error()}
	}
	var serials []string
	for name, ring := range rings() {
		serial, err := unix.AddKey("user", keyName, []byte(keySecret), ring)
		if err != nil {
			return []string{name + ": " + err.Error()}
		}
		serials = append(serials, fmt.Sprint(serial))
		if ring == unix.KEY_SPEC_SESSION_KEYRING {
			continue
		}
		// As a login does: what is linked to the session is the process's own.
		if _, err := unix.KeyctlInt(unix.KEYCTL_LINK, ring, unix.KEY_SPEC_SESSION_KEYRING, 0, 0); err != nil {
			return []string{name + ": " + err.Error()}
		}
	}
	argv := append([]string{os.Args[2], "keeper", os.Args[3]}, serials...)
	return []string{fmt.Sprint(syscall.Exec(argv[0], argv, os.Environ()))}
}

// keepKeys runs the attacker, and looks at the keys afterwards.
func keepKeys() []string {
	defer removeKeys()
	self, dir, serials := os.Args[0], os.Args[2], os.Args[3:]
	spec := user{usertest.User{Self: self, Dir: dir}}.spec(append([]string{"keys"}, serials...)...)
	launch, err := Command(Sandbox, spec)
	if err != nil {
		return []string{err.Error()}
	}
	found := outputOf(launch, spec)
	// Without the filter and the namespaces, a process would still not be in the person's session.
	bare := Launch{Argv: []string{self, "session"}, filter: launch.filter}
	found = append(found, outputOf(bare, spec)...)
	for name, ring := range rings() {
		serial, err := unix.KeyctlSearch(ring, "user", keyName, 0)
		if err != nil {
			found = append(found, fmt.Sprintf("the %s keyring has lost its key: %v", name, err))
			continue
		}
		content := make([]byte, 100)
		n, err := unix.KeyctlBuffer(unix.KEYCTL_READ, serial, content, 0)
		if err != nil || string(content[:n]) != keySecret {
			found = append(found, fmt.Sprintf("the key in the %s keyring is now %q (%v)", name, content[:max(n, 0)], err))
		}
		if _, err := unix.KeyctlSearch(ring, "user", keyPlanted, 0); err == nil {
			found = append(found, "a key was planted in the "+name+" keyring")
		}
	}
	return found
}

// removeKeys leaves the keyrings of whoever runs the tests as they were.
func removeKeys() {
	for _, ring := range rings() {
		for _, name := range []string{keyName, keyPlanted} {
			if serial, err := unix.KeyctlSearch(ring, "user", name, 0); err == nil {
				_, _ = unix.KeyctlInt(unix.KEYCTL_UNLINK, serial, ring, 0, 0)
			}
		}
	}
}

// outputOf is what an attacker says it achieved.
func outputOf(launch Launch, spec Spec) []string {
	var out strings.Builder
	cmd := exec.Command(launch.Argv[0], launch.Argv[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = spec.Env, &out, &out
	done, err := launch.Start(cmd)
	if err != nil {
		return []string{err.Error()}
	}
	if <-done; cmd.ProcessState.Success() && strings.TrimSpace(out.String()) == "null" {
		return nil
	}
	return []string{cmd.ProcessState.String() + ": " + out.String()}
}

// searchSession finds the person's key if it was started in the person's session.
func searchSession() []string {
	if _, err := unix.KeyctlSearch(unix.KEY_SPEC_SESSION_KEYRING, "user", keyName, 0); err == nil {
		return []string{"a process was started in the person's session keyring"}
	}
	return nil
}

// attackKeys tries everything that reads, finds or changes a key, by keyring and by number.
func attackKeys() []string {
	var done []string
	try := func(what string, err error) {
		if err == nil {
			done = append(done, what)
		}
	}
	targets := rings()
	for _, serial := range os.Args[2:] {
		var n int
		if _, err := fmt.Sscan(serial, &n); err != nil {
			return []string{err.Error()}
		}
		targets["key "+serial] = n
	}
	for name, id := range targets {
		_, err := unix.KeyctlSearch(id, "user", keyName, 0)
		try("search "+name, err)
		_, err = unix.AddKey("user", keyPlanted, []byte("x"), id)
		try("add to "+name, err)
		_, err = unix.AddKey("user", keyName, []byte("replaced"), id)
		try("replace in "+name, err)
		_, err = unix.RequestKey("user", keyName, "", id)
		try("request from "+name, err)
		_, err = unix.KeyctlBuffer(unix.KEYCTL_READ, id, make([]byte, 100), 0)
		try("read "+name, err)
		_, err = unix.KeyctlString(unix.KEYCTL_DESCRIBE, id)
		try("describe "+name, err)
		_, err = unix.KeyctlBuffer(unix.KEYCTL_UPDATE, id, []byte("replaced"), 0)
		try("update "+name, err)
		if id < 0 {
			continue // a keyring: what follows would hurt whoever runs the tests if it were possible
		}
		for what, op := range map[string]int{"revoke": unix.KEYCTL_REVOKE, "invalidate": unix.KEYCTL_INVALIDATE} {
			_, err = unix.KeyctlInt(op, id, 0, 0, 0)
			try(what+" "+name, err)
		}
		try("widen "+name, unix.KeyctlSetperm(id, 0x3f3f3f3f))
	}
	_, err := unix.KeyctlInt(unix.KEYCTL_JOIN_SESSION_KEYRING, 0, 0, 0, 0)
	try("join a session", err)
	for _, file := range kernelLists() {
		if data, err := os.ReadFile(file); err == nil {
			done = append(done, fmt.Sprintf("read %s: %s", file, data))
		}
	}
	slices.Sort(done)
	return done
}
