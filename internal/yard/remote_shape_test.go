package yard

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestWhatAnAddressStandsFor, as the whole of what is read from it.
func TestWhatAnAddressStandsFor(t *testing.T) {
	for address, want := range map[string]remote{
		"/srv/a b.git":                     {address: "/srv/a b.git", local: "/srv/a b.git"},
		"/srv/a::b":                        {address: "/srv/a::b", local: "/srv/a::b"},
		"file:///srv/a.git":                {address: "file:///srv/a.git", local: "/srv/a.git"},
		"git@example.org:a/b.git":          {address: "git@example.org:a/b.git"},
		"ssh://git@example.org/a":          {address: "ssh://git@example.org/a"},
		"https://example.org:8443/a/b.git": {address: "https://example.org:8443/a/b.git", server: "https://example.org:8443/"},
		"http://u:p%2F@example.org/a":      {address: "http://example.org/a", server: "http://example.org/", credential: Credential{User: "u", Secret: "p/"}},
		"https://token@example.org/a":      {address: "https://example.org/a", server: "https://example.org/", credential: Credential{User: "token"}},
	} {
		got, err := parseRemote(address)
		must(t, err)
		if got != want {
			t.Errorf("%s: %+v", address, got)
		}
	}
	for _, bad := range []string{"", "-x", "--upload-pack=x", "/a\nb", "/a\x00", "relative", "./a:b", "ext::sh -c x", "a::b/c", "https://", "http:///a", "https://u:s3cret@%zz/a"} {
		if got, err := parseRemote(bad); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q is read as %+v, %v", bad, got, err)
		}
	}
}

// TestWhereAPersonWorks: in a folder with a .git, whatever that is, and in none that only serves.
func TestWhereAPersonWorks(t *testing.T) {
	f := newFixture(t)
	top := folder(t)
	sh(t, top, "mkdir linked empty .git-like; echo 'gitdir: /none' > linked/.git; ln -s nowhere empty/.git")
	for dir, want := range map[string]bool{
		f.person: true, filepath.Join(f.person, ".git"): true, bareRemote(t, f): false, filepath.Join(top, "linked"): true, filepath.Join(top, "empty"): true,
		filepath.Join(top, ".git-like"): false, filepath.Join(top, "none"): false,
	} {
		equal(t, dir, remote{local: dir}.isWorkingCopy(), want)
	}
}

// TestWhyAPushFailed: where the remote's ref is now outranks what is said about it.
func TestWhyAPushFailed(t *testing.T) {
	const was, new, other = "1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222", "3333333333333333333333333333333333333333"
	spec := PushSpec{Ref: "refs/heads/x", Commit: new, ExpectedOld: was}
	failed := &CommandError{Args: []string{"push"}, Exit: 1, Stderr: "error: failed to push some refs", cause: errors.New("exit status 1")}
	refused := &CommandError{Args: []string{"push"}, Exit: 128, Stderr: "fatal: Authentication failed", cause: errors.New("exit status 128")}
	lease := func(have string) error { return &LeaseError{Ref: spec.Ref, Want: was, Have: have} }
	for _, c := range []struct {
		report, have string
		failure      error
		want         error
		says         string
	}{
		{"!\tx:y\t[remote rejected] (hook declined)\n", other, failed, lease(other), ""},
		{"!\tx:y\t[rejected] (stale info)\n", was, failed, lease(was), ""},
		{"", "", failed, lease(""), ""},
		{"!\tx:y\t[remote rejected] (branch is currently checked out)\n", was, failed, ErrCheckedOut, "exit status 1"},
		{"To x\n!\tx:y\t[remote rejected] (protected branch)\nDone\n", was, failed, ErrDeclined, "(protected branch): git push"},
		{"Done\n", was, nil, ErrDeclined, "reported success"},
		{"", was, refused, ErrAuth, "Authentication failed"},
		{"", was, failed, failed, ""},
	} {
		err := whyNotPushed(spec, c.report, c.have, c.failure)
		if want, ok := errors.AsType[*LeaseError](c.want); ok {
			if got, ok := errors.AsType[*LeaseError](err); !ok || *got != *want {
				t.Errorf("%q at %q: %v", c.report, c.have, err)
			}
			continue
		}
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q at %q: %v", c.report, c.have, err)
		}
	}
	equal(t, "nothing is rejected", rejection("Done\n"), "")
}

func TestWhatIsAHash(t *testing.T) {
	for text, want := range map[string]bool{
		strings.Repeat("0a", 20): true, strings.Repeat("0f", 32): true, strings.Repeat("0a", 20) + "1": false, strings.Repeat("a", 39): false, strings.Repeat("a", 41): false,
		strings.Repeat("a", 63): false, strings.Repeat("a", 65): false, strings.Repeat("g", 40): false, strings.Repeat("A", 40): false, "": false,
		strings.Repeat("a", 39) + "\n": false, " " + strings.Repeat("a", 39): false, strings.Repeat("a", 20) + "-" + strings.Repeat("a", 19): false,
	} {
		equal(t, text, isHash(text), want)
	}
	for _, bad := range []string{"", "main", "HEAD", "heads/x", "refs/heads/a b", "refs/a:b", "refs/a*", "refs/a?", "refs/a[", `refs/a\b`, "refs/a^", "refs/a~1", "refs/a..b", "refs/a\nb", "refs/a\x00"} {
		if checkRef(bad) == nil {
			t.Errorf("%q is a ref", bad)
		}
	}
	must(t, checkRef("refs/heads/a.b/c-d"))
}

func TestAMissingCommitIsToldFromOtherTrouble(t *testing.T) {
	said := func(text string) error {
		return &CommandError{Args: []string{"read-tree"}, Exit: 128, Stderr: text, cause: errors.New("exit status 128")}
	}
	for text, want := range map[string]bool{
		"fatal: Not a valid object name 1111": true, "fatal: failed to unpack tree object 1111": true, "fatal: not a tree object": true, "fatal: No space left on device": false,
	} {
		err := commitError("1111", said(text))
		if errors.Is(err, ErrNotFound) != want || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestWhoCommitsAndWhen is in the environment of git, the same for both roles.
func TestWhoCommitsAndWhen(t *testing.T) {
	want := []string{
		"GIT_AUTHOR_NAME=Ada Agent", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_AUTHOR_DATE=@1748779200 +0000",
		"GIT_COMMITTER_NAME=Ada Agent", "GIT_COMMITTER_EMAIL=ada@example.org", "GIT_COMMITTER_DATE=@1748779200 +0000",
	}
	if d := cmp.Diff(want, testIdentity().env(noon().In(time.FixedZone("x", 7200)))); d != "" {
		t.Error(d)
	}
	before := time.Now().Unix()
	var at int64
	must(t, second(fmt.Sscanf(testIdentity().env(time.Time{})[2], "GIT_AUTHOR_DATE=@%d +0000", &at)))
	if at < before || at > time.Now().Unix() {
		t.Errorf("without a date it is %d", at)
	}
}

// TestFoldersAreOpenedForTheirOwner, and files and links are left alone.
func TestFoldersAreOpenedForTheirOwner(t *testing.T) {
	top := folder(t)
	sh(t, top, "mkdir -p w/closed/in w/open outside; touch w/closed/file; ln -s ../outside w/link; chmod 0 w/closed/file; chmod 0 outside; chmod 500 w/closed/in; chmod 050 w/closed; chmod 711 w/open")
	t.Cleanup(func() { must(t, os.Chmod(filepath.Join(top, "outside"), 0o700)) })
	must(t, OpenFolders(filepath.Join(top, "w")))
	for name, want := range map[string]os.FileMode{"w/closed": 0o750, "w/closed/in": 0o700, "w/open": 0o711, "w/closed/file": 0, "outside": 0} {
		info, err := os.Stat(filepath.Join(top, name))
		must(t, err)
		equal(t, name, info.Mode().Perm(), want)
	}
	must(t, RemoveWorkspace(filepath.Join(top, "w")))
	must(t, RemoveWorkspace(filepath.Join(top, "w")))
	if err := OpenFolders(filepath.Join(top, "w")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is gone: %v", err)
	}
}

// TestAFoldersOwnSettingsOpenNoBranch that is checked out in it.
func TestAFoldersOwnSettingsOpenNoBranch(t *testing.T) {
	f := newFixture(t)
	head := f.commit(t, "topic", "echo x > x")
	for _, setting := range []string{"ignore", "updateInstead", "warn"} {
		sh(t, f.person, "git config receive.denyCurrentBranch "+setting)
		err := f.yard.Push(ctx(t), PushSpec{Remote: f.person, Ref: "refs/heads/main", Commit: head, ExpectedOld: f.base})
		if !errors.Is(err, ErrCheckedOut) {
			t.Errorf("%s: %v", setting, err)
		}
	}
	equal(t, "main", sh(t, f.person, "git rev-parse main; git status --porcelain"), f.base)
}
