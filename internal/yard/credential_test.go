package yard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/githttptest"
)

const goodSecret = "t0ken/with+odd=signs"

// forge is a server that hands repositories out by git's own program to whoever has the secret.
type forge struct {
	*httptest.Server
	remote string // the repository behind it
	decoy  string // name of a repository beside it that pushes go to instead; empty in an honest forge
	mu     sync.Mutex
	argv   []string // the command lines of git's processes, as anybody on the machine could see them during a request
}

func newForge(t *testing.T, f fixture) *forge {
	t.Helper()
	served := &forge{remote: bareRemote(t, f)}
	program, err := githttptest.Handler(ctx(t), filepath.Dir(served.remote), "pat")
	if err != nil {
		t.Skip(err)
	}
	program.Stderr = io.Discard
	served.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served.note(t)
		switch _, secret, _ := r.BasicAuth(); {
		case secret == goodSecret:
			r.Header.Del("Authorization")
			if served.decoy != "" && strings.Contains(r.URL.String(), "receive-pack") {
				r.URL.Path = strings.Replace(r.URL.Path, filepath.Base(served.remote), served.decoy, 1)
			}
			program.ServeHTTP(w, r)
		case secret == "reader" && !strings.Contains(r.URL.String(), "receive-pack"):
			program.ServeHTTP(w, r)
		case secret == "reader":
			http.Error(w, "read only, "+secret, http.StatusForbidden)
		default:
			w.Header().Set("WWW-Authenticate", `Basic realm="forge"`)
			http.Error(w, "who is "+secret+"?", http.StatusUnauthorized)
		}
	}))
	t.Cleanup(served.Close)
	return served
}

// note records the command lines of this machine's git processes.
func (f *forge) note(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "ps", "-eww", "-o", "args").Output()
	if err != nil {
		t.Errorf("ps: %v", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "git") {
			f.argv = append(f.argv, line)
		}
	}
}

// seen is all that was recorded.
func (f *forge) seen() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.argv, "")
}

func (f *forge) address() string { return f.URL + "/" + filepath.Base(f.remote) }

func yardWith(t *testing.T, source Credentials) *Yard {
	t.Helper()
	y, err := Open(ctx(t), filepath.Join(folder(t), "yard.git"))
	must(t, err)
	y.Credentials = source
	t.Cleanup(func() { must(t, y.Close()) })
	return y
}

func fixed(secret string) Credentials {
	return func(context.Context, string) (Credential, error) { return Credential{User: "pat", Secret: secret}, nil }
}

// everyContact is each way the yard has of reaching a remote.
func everyContact(t *testing.T, y *Yard, address, commit string, as Credential) map[string]error {
	t.Helper()
	push := PushSpec{Remote: address, Ref: "refs/heads/pushed", Commit: commit, Credential: as}
	return map[string]error{
		"fetch":  y.Fetch(ctx(t), address),
		"tip":    second(y.RemoteTip(ctx(t), address, "refs/heads/main")),
		"branch": second(y.FetchBranch(ctx(t), address, "main")),
		"push":   y.Push(ctx(t), push),
	}
}

func TestCredentialOpensARemote(t *testing.T) {
	f := newFixture(t)
	served := newForge(t, f)
	y := yardWith(t, fixed(goodSecret))
	must(t, y.Fetch(ctx(t), served.address()))
	before, err := os.ReadFile(filepath.Join(y.Dir(), "config"))
	must(t, err)
	push := PushSpec{Remote: served.address(), Ref: "refs/heads/pushed", Commit: f.base}
	must(t, y.Push(ctx(t), push))
	tip, err := y.RemoteTip(ctx(t), served.address(), push.Ref)
	must(t, err)
	equal(t, "tip", tip, f.base)

	after, err := os.ReadFile(filepath.Join(y.Dir(), "config"))
	must(t, err)
	equal(t, "configuration", string(after), string(before))
	if runtime.GOOS != "linux" {
		t.Skip("the names of ps's columns are those of Linux")
	}
	argv := served.seen()
	if !strings.Contains(argv, " ls-remote --quiet") || !strings.Contains(argv, " push --porcelain") {
		t.Fatalf("git was not seen at work:\n%s", argv)
	}
	for _, secret := range []string{goodSecret, fixedBasic()} {
		if strings.Contains(argv, secret) {
			t.Errorf("the secret is in a command line:\n%s", argv)
		}
	}
}

func fixedBasic() string { return Credential{User: "pat", Secret: goodSecret}.basic() }

func TestCredentialInAnAddressStaysOutOfCommandLines(t *testing.T) {
	f := newFixture(t)
	served := newForge(t, f)
	y := openYard(t)
	address := strings.Replace(served.address(), "http://", "http://pat:t0ken%2Fwith+odd%3Dsigns@", 1)
	must(t, y.Fetch(ctx(t), address))
	if argv := served.seen(); !strings.Contains(argv, served.address()) || strings.Contains(argv, "t0ken") {
		t.Errorf("got %s", argv)
	}
}

func TestCredentialRefused(t *testing.T) {
	f := newFixture(t)
	served := newForge(t, f)
	failing := func(context.Context, string) (Credential, error) { return Credential{}, errors.New("the file is gone") }
	for name, source := range map[string]Credentials{
		"wrong": fixed("revoked-s3cret"), "none": nil, "broken": fixed("two\nlines-s3cret"), "unreadable": failing,
	} {
		y := yardWith(t, source)
		must(t, y.Fetch(ctx(t), f.person))
		for contact, err := range everyContact(t, y, served.address(), f.base, Credential{}) {
			if !errors.Is(err, ErrAuth) || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%s, %s: %v", name, contact, err)
			}
		}
	}
	y := yardWith(t, fixed("reader"))
	must(t, y.Fetch(ctx(t), served.address()))
	push := PushSpec{Remote: served.address(), Ref: "refs/heads/pushed", Commit: f.base}
	if err := y.Push(ctx(t), push); !errors.Is(err, ErrAuth) || strings.Contains(err.Error(), "reader") {
		t.Errorf("a reader's push: %v", err)
	}
	push.Credential = Credential{Secret: goodSecret}
	must(t, y.Push(ctx(t), push)) // what is given outranks what is found
	if err := y.Fetch(ctx(t), served.URL+"/none.git"); !errors.Is(err, ErrUnreachable) {
		t.Errorf("no such repository: %v", err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(verb, push); strings.Contains(text, goodSecret) {
			t.Errorf("%s prints the secret", verb)
		}
	}
}

// TestCredentialIsForOneServer has the forge send git on to another server.
func TestCredentialIsForOneServer(t *testing.T) {
	f := newFixture(t)
	served := newForge(t, f)
	shown := make(chan string, 10)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown <- r.Header.Get("Authorization")
		http.Redirect(w, r, served.URL+r.URL.String(), http.StatusFound)
	}))
	defer other.Close()
	y := yardWith(t, func(_ context.Context, address string) (Credential, error) {
		if strings.HasPrefix(address, other.URL+"/") {
			return Credential{Secret: goodSecret}, nil
		}
		return Credential{}, nil
	})
	if err := y.Fetch(ctx(t), other.URL+"/"+filepath.Base(served.remote)); !errors.Is(err, ErrUnreachable) {
		t.Errorf("a redirect was followed: %v", err)
	}
	if len(shown) != 1 || <-shown == "" {
		t.Error("the first server was not shown the credential, or more than once")
	}
	if err := y.Fetch(ctx(t), served.address()); !errors.Is(err, ErrAuth) {
		t.Errorf("the credential was used for another server: %v", err)
	}
}
