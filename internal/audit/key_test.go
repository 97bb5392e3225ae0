package audit

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// sshKeygen runs the real program.
func sshKeygen(t *testing.T, in string, args ...string) string {
	t.Helper()
	cmd := exec.Command(tooltest.Need(t, tooltest.OpenSSH), args...)
	cmd.Stdin = strings.NewReader(in)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("ssh-keygen %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestOrdinaryToolsVerify: what Stellwerk signs, OpenSSH verifies, and the other way round.
func TestOrdinaryToolsVerify(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "key")
	sshKeygen(t, "", "-q", "-t", "ed25519", "-N", "", "-C", "ada@example.org", "-f", file)
	key, err := ReadKey(file)
	must(t, err)
	if shown := sshKeygen(t, "", "-l", "-f", file); !strings.Contains(shown, key.Fingerprint()) {
		t.Errorf("%s is not in %s", key.Fingerprint(), shown)
	}
	c, err := sign(Statement{Number: 1, Heads: []Mark{{"run/a", 1, "h"}}}, key)
	must(t, err)
	public, err := os.ReadFile(file + ".pub")
	must(t, err)
	allowed, signature := filepath.Join(dir, "allowed"), filepath.Join(dir, "sig")
	must(t, os.WriteFile(allowed, []byte("# the team\nada "+string(public)), 0o600))
	must(t, os.WriteFile(signature, []byte(c.Signature), 0o600))
	sshKeygen(t, c.Statement, "-Y", "verify", "-f", allowed, "-I", "ada", "-n", Namespace, "-s", signature)

	made := filepath.Join(dir, "text")
	must(t, os.WriteFile(made, []byte("text"), 0o600))
	sshKeygen(t, "", "-Y", "sign", "-q", "-f", file, "-n", Namespace, made)
	theirs, err := os.ReadFile(made + ".sig")
	must(t, err)
	if _, err := checkSignature("text", string(theirs)); err != nil {
		t.Error(err)
	}
	if _, err := checkSignature("test", string(theirs)); err == nil {
		t.Error("the signature holds for another text")
	}
	must(t, os.Remove(made+".sig"))
	sshKeygen(t, "", "-Y", "sign", "-q", "-f", file, "-n", "git", made)
	if theirs, err = os.ReadFile(made + ".sig"); err != nil {
		t.Fatal(err)
	}
	if _, err := checkSignature("text", string(theirs)); err == nil || !strings.Contains(err.Error(), `made for "git"`) {
		t.Errorf("a signature of a commit: %v", err)
	}
	for name, path := range map[string]string{"ada": allowed, "ada@example.org": file + ".pub"} {
		signers, err := ReadSigners(path)
		if err != nil || len(signers) != 1 || signers[key.Fingerprint()] != name {
			t.Errorf("%s: %v, %v", path, signers, err)
		}
	}
}

// TestKeysThatCannotSign are refused with what to do.
func TestKeysThatCannotSign(t *testing.T) {
	dir := t.TempDir()
	refused := func(path, what, advice string) {
		t.Helper()
		if _, err := ReadKey(path); err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(wording.Hint(err), advice) {
			t.Errorf("%s: %v, %s", filepath.Base(path), err, wording.Hint(err))
		}
	}
	refused(filepath.Join(dir, "none"), "cannot be read", "ssh-keygen -t ed25519")
	refused(dir, "not a regular file", "")
	text := filepath.Join(dir, "text")
	must(t, os.WriteFile(text, []byte("s3cr3t"), 0o600))
	refused(text, "no private key", "ssh-keygen")
	if _, err := ReadKey(text); strings.Contains(err.Error(), "s3cr3t") {
		t.Error("the error contains the file")
	}
	must(t, os.Chmod(text, 0o640))
	refused(text, "mode 0640", "chmod 0600 "+text)
	locked, rsa := filepath.Join(dir, "locked"), filepath.Join(dir, "rsa")
	sshKeygen(t, "", "-q", "-t", "ed25519", "-N", "a passphrase", "-f", locked)
	refused(locked, "has a passphrase", "-N ''")
	sshKeygen(t, "", "-q", "-t", "rsa", "-b", "2048", "-N", "", "-f", rsa)
	refused(rsa, "no Ed25519 key", "ssh-keygen")
	if _, err := ReadSigners(rsa + ".pub"); core.CodeOf(err) != core.CodeInvalid || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("signers: %v", err)
	}
	must(t, os.WriteFile(text, []byte("\n# nobody\n"), 0o600))
	if _, err := ReadSigners(text); err == nil || !strings.Contains(err.Error(), "no public key") {
		t.Errorf("signers: %v", err)
	}
}

// TestAKeyThatAgentsSee is not used, also if a link leads to it or to what they are shown.
func TestAKeyThatAgentsSee(t *testing.T) {
	dir := t.TempDir()
	shown, link := filepath.Join(dir, "tools"), filepath.Join(dir, "link")
	must(t, os.Mkdir(shown, 0o700))
	key, elsewhere, alias := filepath.Join(shown, "key"), filepath.Join(dir, "tools-key"), filepath.Join(dir, "alias")
	must(t, os.WriteFile(key, nil, 0o600))
	must(t, os.WriteFile(elsewhere, nil, 0o600))
	must(t, os.Symlink(shown, link))
	must(t, os.Symlink(key, alias))
	for _, c := range []struct {
		key, shown string
		refused    bool
	}{
		{key, shown, true}, {key, dir, true}, {key, key, true}, {key, link, true}, {alias, shown, true}, {filepath.Join(link, "key"), shown, true},
		{elsewhere, shown, false}, {elsewhere, "/nowhere", false},
	} {
		if err := Hidden(c.key, []string{c.shown}); (core.CodeOf(err) == core.CodeForbidden && err != nil) != c.refused {
			t.Errorf("%s in %s: %v", c.key, c.shown, err)
		}
	}
}
