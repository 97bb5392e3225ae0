package yard

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAWorkspaceHasTheNamesItIsGiven: whatever a person or a branch is called arrives as it is, or is refused.
func TestAWorkspaceHasTheNamesItIsGiven(t *testing.T) {
	f := newFixture(t)
	for _, name := range []string{`Ada "Countess" \ Lovelace`, "semi;colon # hash", " spaces within ", "Ünï©ode", `trailing\`} {
		dir := filepath.Join(folder(t), "w")
		must(t, f.yard.Workspace(ctx(t), WorkspaceSpec{Dir: dir, Commit: f.base, Branch: "b", Identity: Identity{Name: name, Email: "a@example.org"}}))
		equal(t, "name", sh(t, dir, "printf '<%s>' \"$(git config user.name)\""), "<"+name+">")
	}
	for _, branch := range []string{"../../config", "x.lock", ".hidden", "a/.b", "a..b", "a b", "a/", "/a", "a//b", "a\nb", "a~1", "a^", "a:b", "a?", "a*", "a[", `a\b`, "."} {
		dir := filepath.Join(folder(t), "w")
		if err := f.yard.Workspace(ctx(t), WorkspaceSpec{Dir: dir, Commit: f.base, Branch: branch, Identity: testIdentity()}); err == nil {
			t.Errorf("%q is a branch", branch)
		}
		equal(t, "left of "+branch, sh(t, filepath.Dir(dir), "ls -A"), "")
	}
	if c := (Identity{Name: "A", Email: " "}); c.Complete() || !testIdentity().Complete() {
		t.Error("who may commit is told wrongly")
	}
}

// TestRefsTakeFullHashesOnly: an abbreviation or a name would be another commit tomorrow.
func TestRefsTakeFullHashesOnly(t *testing.T) {
	f := newFixture(t)
	const ref = "refs/heads/run"
	for _, c := range [][2]string{{"", ""}, {"", "main"}, {"", f.base[:12]}, {"main", f.base}, {f.base[:12], f.base}, {"", strings.ToUpper(f.base)}, {f.base, ""}} {
		if err := f.yard.Move(ctx(t), ref, c[0], c[1]); err == nil {
			t.Errorf("moved from %q to %q", c[0], c[1])
		}
	}
	if moved, ok := errors.AsType[*MovedError](f.yard.Move(ctx(t), ref, f.base, f.commit(t, "topic", "echo x > x"))); !ok || moved.Have != "" || moved.Want != f.base {
		t.Errorf("one that is not there: %v", moved)
	}
	if err := f.yard.Move(ctx(t), ref, "", strings.Repeat("1", 40)); err == nil {
		t.Error("moved to a commit that nobody has")
	}
	refs, err := f.yard.Refs(ctx(t), "refs/heads/")
	must(t, err)
	equal(t, "refs", len(refs), 0)
}

// TestALockedRefIsNotSaidToHaveMoved: git cannot move it now, and nobody else has.
func TestALockedRefIsNotSaidToHaveMoved(t *testing.T) {
	f := newFixture(t)
	topic := f.commit(t, "topic", "echo x > x")
	const ref = "refs/heads/run"
	must(t, f.yard.Move(ctx(t), ref, "", f.base))
	lock := filepath.Join(f.yard.Dir(), ref+".lock")
	must(t, os.WriteFile(lock, nil, 0o600))
	for name, err := range map[string]error{"move": f.yard.Move(ctx(t), ref, f.base, topic), "delete": f.yard.DeleteRef(ctx(t), ref, f.base)} {
		if moved, ok := errors.AsType[*MovedError](err); ok || err == nil {
			t.Errorf("%s: %v, %v", name, moved, err)
		}
	}
	must(t, os.Remove(lock))
	at, err := f.yard.Resolve(ctx(t), ref)
	must(t, err)
	equal(t, "it is", at, f.base)
}

// TestOpenFoldersOpensWhatIsBelowToo, and only folders.
func TestOpenFoldersOpensWhatIsBelowToo(t *testing.T) {
	dir := filepath.Join(folder(t), "w")
	deep := filepath.Join(dir, "a", "b")
	must(t, os.MkdirAll(deep, 0o755))
	must(t, os.WriteFile(filepath.Join(deep, "c"), nil, 0))
	for _, path := range []string{deep, filepath.Dir(deep)} {
		must(t, os.Chmod(path, 0o070))
	}
	must(t, OpenFolders(dir))
	for _, path := range []string{deep, filepath.Dir(deep)} {
		info, err := os.Stat(path)
		must(t, err)
		equal(t, path, info.Mode().Perm(), os.FileMode(0o770)) // what others may do stays
	}
	info, err := os.Stat(filepath.Join(deep, "c"))
	must(t, err)
	equal(t, "a file", info.Mode().Perm(), os.FileMode(0))
}
