package examine_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

// finding is what doctor says of one thing.
func finding(t *testing.T, b *clitest.Bench, what string) api.Examined {
	t.Helper()
	b.Out.B.Reset()
	b.Run(t, shell.ExitOK, "doctor", "--json")
	all := clitest.Decode[api.ExaminedList](t, b.Out.String()).Findings
	at := slices.IndexFunc(all, func(f api.Examined) bool { return f.What == what })
	if at < 0 {
		t.Fatalf("doctor says nothing of %s", what)
	}
	return all[at]
}

func TestDoctorAsksTheEngineAtItsAddress(t *testing.T) {
	b, state, ready := clitest.New(t), t.TempDir(), http.StatusOK
	b.Env["STELLWERK_STATE"] = state
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			w.WriteHeader(ready)
		}
	}))
	want := func(g string) {
		t.Helper()
		if f := finding(t, b, "network"); f.Grade != g {
			t.Errorf("%+v", f)
		}
	}
	want(api.GradeOK) // nobody listens, which is in order
	clitest.WriteFile(t, filepath.Join(state, "network.url"), engine.URL+"/\n")
	want(api.GradeOK)
	ready = http.StatusServiceUnavailable
	want(api.GradeWarn)
	engine.Close()
	want(api.GradeWarn)
}

func TestDoctorLooksWhetherPeopleCanBeTold(t *testing.T) {
	b := clitest.New(t)
	b.Env["STELLWERK_STATE"] = filepath.Join(t.TempDir(), "state")
	b.Dial = clitest.NoEngine
	said := 0
	there := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { said++ }))
	defer there.Close()
	b.Env["STELLWERK_NOTIFY"], b.Env["STELLWERK_NOTIFY_WEBHOOK_URL"] = "bell,webhook", there.URL+"/hidden-path"
	b.Run(t, shell.ExitOK, "doctor")
	b.Said(t, b.Out, "warn  notify", "webhook: no token")
	b.Env["STELLWERK_NOTIFY_WEBHOOK_SECRET_ENV"], b.Env["HOOK"] = "HOOK", "correct-horse-battery-staple"
	b.Out.B.Reset()
	b.Run(t, shell.ExitOK, "doctor")
	b.Said(t, b.Out, "warn  notify", "notify_private_hosts")
	b.Env["STELLWERK_NOTIFY_PRIVATE_HOSTS"], b.Env["STELLWERK_QUIET_HOURS"] = "127.0.0.1", "22:00-07:00"
	b.Out.B.Reset()
	b.Run(t, shell.ExitOK, "doctor")
	b.Said(t, b.Out, "ok    notify", "bell, webhook; quiet 22:00-07:00")
	if text := b.Out.String(); strings.Contains(text, "hidden-path") || strings.Contains(text, "correct-horse") || said > 0 {
		t.Errorf("%d messages were sent, and it says %s", said, text)
	}
}

func TestDoctorLooksAtTheFilesOfTheStateFolder(t *testing.T) {
	b, state := clitest.New(t), t.TempDir()
	b.Env["STELLWERK_STATE"] = state
	if err := os.Chmod(state, 0o700); err != nil {
		t.Fatal(err)
	}
	clitest.WriteFile(t, filepath.Join(state, "person.token"), "x")
	if err := os.Chmod(filepath.Join(state, "person.token"), 0o640); err != nil {
		t.Fatal(err)
	}
	if f := finding(t, b, "state"); f.Grade != api.GradeWarn {
		t.Errorf("%+v", f)
	}
	if err := os.Chmod(filepath.Join(state, "person.token"), 0o600); err != nil {
		t.Fatal(err)
	}
	if f := finding(t, b, "state"); f.Grade != api.GradeOK {
		t.Errorf("%+v", f)
	}
}

// TestAnEngineByANameOfItsOwn: doctor finds it where the resolver of the machine
// does not know such names.
func TestAnEngineByANameOfItsOwn(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer srv.Close()
	b, state := clitest.New(t), t.TempDir()
	b.Env["STELLWERK_STATE"] = state
	address := strings.Replace(srv.URL, "127.0.0.1", "stellwerk.localhost", 1)
	if err := os.WriteFile(filepath.Join(state, "network.url"), []byte(address+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if f := finding(t, b, "network"); f.Grade != api.GradeOK || !strings.Contains(f.Found, address) {
		t.Errorf("%+v", f)
	}
}

// TestDoctorSaysWhatIsKept: a large state folder of which nothing is removed by
// itself is worth a word, and what to type.
func TestDoctorSaysWhatIsKept(t *testing.T) {
	b := clitest.New(t)
	state := filepath.Join(t.TempDir(), "state")
	b.Env["STELLWERK_STATE"] = state
	b.Dial = clitest.NoEngine
	b.Run(t, shell.ExitOK, "doctor")
	b.Said(t, b.Out, "ok    kept")

	clitest.WriteFile(t, filepath.Join(state, "attempts", "a", "small"), "x")
	large := filepath.Join(state, "yards", "p.git", "pack")
	clitest.WriteFile(t, large, "")
	if err := os.Truncate(large, 6<<30); err != nil { // takes no room: nothing is written
		t.Fatal(err)
	}
	b.Out.B.Reset()
	b.Run(t, shell.ExitOK, "doctor")
	b.Said(t, b.Out, "warn  kept", "(yards 6", "`retention` is off", "`stellwerk prune --yes` removes it; with `retention: 90d`")

	b.Env["STELLWERK_RETENTION"] = "90d"
	b.Out.B.Reset()
	b.Run(t, shell.ExitOK, "doctor")
	b.Said(t, b.Out, "ok    kept")
}
