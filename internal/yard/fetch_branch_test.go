package yard

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// TestFetchBranchKeepsRemotesApart has three repositories whose main is not the same.
func TestFetchBranchKeepsRemotesApart(t *testing.T) {
	f := newFixture(t)
	tips := map[string]string{}
	for _, name := range []string{"one", "two"} {
		remote := bareRemote(t, f)
		sh(t, f.person, "git commit -q --allow-empty -m "+name+" && git push -q "+remote+" main && git reset -q --hard HEAD^")
		tip, err := f.yard.FetchBranch(ctx(t), remote, "main")
		must(t, err)
		tips[tip] = name
	}
	own, err := f.yard.Resolve(ctx(t), UpstreamHeads+"main")
	must(t, err)
	equal(t, "the person's main", own, f.base)
	refs, err := f.yard.Refs(ctx(t), UpstreamRemotes)
	must(t, err)
	for _, r := range refs {
		if tips[r.Commit] == "" || !strings.HasSuffix(r.Name, "/main") {
			t.Errorf("%s is at %s", r.Name, r.Commit)
		}
	}
	equal(t, "remotes", len(refs), 2)
	must(t, f.yard.Fetch(ctx(t), f.person))
	after, err := f.yard.Refs(ctx(t), UpstreamRemotes)
	must(t, err)
	equal(t, "remotes after the person's was fetched", len(after), 2)
}

func TestFetchBranchThatIsRewrittenOrMissing(t *testing.T) {
	f := newFixture(t)
	remote := bareRemote(t, f)
	for _, script := range []string{"git commit -q --allow-empty -m more", "git commit -q --amend --allow-empty -m other"} {
		want := sh(t, f.person, script+"; git push -q -f "+remote+" main; git rev-parse HEAD")
		tip, err := f.yard.FetchBranch(ctx(t), remote, "main")
		must(t, err)
		equal(t, "tip", tip, want)
	}
	if _, err := f.yard.FetchBranch(ctx(t), remote, "absent"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
	for _, branch := range []string{"", "a b", "x:refs/heads/main", "-x"} {
		if _, err := f.yard.FetchBranch(ctx(t), remote, branch); err == nil {
			t.Errorf("%q was fetched", branch)
		}
	}
}

// TestARemoteThatIsNotThere tells what may pass from what does not.
func TestARemoteThatIsNotThere(t *testing.T) {
	y := openYard(t)
	var status atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(int(status.Load())) }))
	t.Cleanup(server.Close)
	for answer, missing := range map[int]bool{http.StatusNotFound: true, http.StatusBadGateway: false, http.StatusServiceUnavailable: false} {
		status.Store(int64(answer))
		_, err := y.FetchBranch(ctx(t), server.URL+"/x.git", "main")
		if !errors.Is(err, ErrUnreachable) || errors.Is(err, ErrNoRepository) != missing {
			t.Errorf("%d: %v", answer, err)
		}
	}
	server.Close()
	if _, err := y.FetchBranch(ctx(t), server.URL+"/x.git", "main"); !errors.Is(err, ErrUnreachable) || errors.Is(err, ErrNoRepository) {
		t.Errorf("down: %v", err)
	}
	if _, err := y.FetchBranch(ctx(t), "/nonexistent/repository", "main"); !errors.Is(err, ErrNoRepository) {
		t.Errorf("no folder: %v", err)
	}
}

func TestRemoteAddress(t *testing.T) {
	dir := person(t)
	sh(t, dir, `git remote add plain https://git.example.org/acme/rocket.git
		git remote add ssh git@git.example.org:acme/rocket.git
		git remote add secret https://pat:t0ken@git.example.org/acme/rocket.git
		git remote add apart https://git.example.org/acme/rocket.git && git remote set-url --push apart git@elsewhere:x
		git remote add many https://git.example.org/a.git && git remote set-url --add many https://git.example.org/b.git
		git remote add program 'ext::sh -c true'`)
	for name, want := range map[string]string{
		"plain": "https://git.example.org/acme/rocket.git", "ssh": "git@git.example.org:acme/rocket.git",
		"secret": "https://git.example.org/acme/rocket.git",
	} {
		address, stripped, err := RemoteAddress(ctx(t), dir, name)
		must(t, err)
		equal(t, name, address, want)
		equal(t, name+" stripped", stripped, name == "secret")
	}
	for _, name := range []string{"apart", "many", "absent", "", "-x"} {
		if address, _, err := RemoteAddress(ctx(t), dir, name); !errors.Is(err, ErrNoRemote) {
			t.Errorf("%s: %q, %v", name, address, err)
		}
	}
	if address, _, err := RemoteAddress(ctx(t), dir, "program"); err == nil {
		t.Errorf("program: %q", address)
	}
}
