package shim_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
)

const secret = "hunter2-4f1a"

// leaky leaves its secrets wherever an agent can: in a document, in a file's name,
// in a name that a note of the hand-in repeats.
const leaky = `
	echo "the key is $TOKEN, and HUNTER2-4F1A" > "$STELLWERK_OUT/notes.md"
	echo x > "$STELLWERK_OUT/$TOKEN.md"
	echo work > work.txt; git branch "try-$TOKEN" HEAD
	echo r > "$STELLWERK_OUT/ready"
`

func leaks(kind sandbox.Kind, t *testing.T, script string) (shimtest.Attempt, []string) {
	a := shimtest.New(t, kind, script, func(s *shim.Spec) { s.Secrets, s.Redact = []string{"TOKEN"}, []string{"OTHER"} })
	return a, []string{"TOKEN=" + secret, "OTHER=" + strings.ToUpper(secret)}
}

// kept is all that is left of an attempt for the engine to take over.
func kept(t *testing.T, a shimtest.Attempt, exit shim.Exit) {
	t.Helper()
	if exit.HandIn == nil || len(exit.HandIn.Notes) != 1 || exit.HandIn.Notes[0] != "there are 2 branches: master, try-"+shimtest.Redacted {
		t.Errorf("handed in was %+v", exit.HandIn)
	}
	raw, err := os.ReadFile(filepath.Join(a.Folder, "exit.json"))
	if err != nil {
		t.Fatal(err)
	}
	notes, err := os.ReadFile(filepath.Join(a.Spec.Job.Out, "notes.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(notes), "the key is "+shimtest.Redacted) {
		t.Errorf("the document says %q", notes)
	}
	for what, text := range map[string]string{"exit.json": string(raw), "the document": string(notes)} {
		if strings.Contains(strings.ToLower(text), secret) {
			t.Errorf("%s has the secret: %s", what, text)
		}
	}
	for _, out := range exit.Outputs {
		if strings.Contains(out.Name, secret) {
			t.Errorf("%s is taken", out.Name)
		}
	}
	if len(exit.Refused) != 1 || exit.Refused[0].Name != shimtest.Redacted+".md" {
		t.Errorf("refused were %+v", exit.Refused)
	}
}

func TestAnEndKeepsNoSecret(t *testing.T) {
	eachKind(t, func(t *testing.T, kind sandbox.Kind) {
		a, env := leaks(kind, t, leaky)
		a.Git(t, "branch", "-M", "master")
		kept(t, a, a.Run(t, env...))
	})
}

// TestASalvageKeepsNoSecret: who salvages is told the secrets, too, as far as they
// are still there.
func TestASalvageKeepsNoSecret(t *testing.T) {
	eachKind(t, func(t *testing.T, kind sandbox.Kind) {
		a, env := leaks(kind, t, leaky+"exec sleep 1000")
		a.Git(t, "branch", "-M", "master")
		cmd := a.Command(t, shimtest.RoleWorker, env...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		a.AwaitOutput(t, "ready")
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil {
			t.Error("the shim ended well")
		}
		if out, err := a.Command(t, shimtest.RoleSalvage, env...).CombinedOutput(); err != nil {
			t.Fatalf("salvage: %v: %s", err, out)
		}
		kept(t, a, a.Exit(t))
	})
}
