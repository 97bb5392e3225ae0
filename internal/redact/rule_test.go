package redact_test

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

// leaks says whether out still shows a part of secret that would help: eight characters of its second half.
func leaks(out, secret string) bool {
	footer := "\n-----END RSA PRIV" + "ATE KEY-----"
	for i := len(secret) / 2; i+8 <= len(secret); i++ {
		part := secret[i : i+8]
		if !strings.HasPrefix(strings.TrimLeft(part, "=\\n\n"), "-----") && !strings.Contains(footer, part) && strings.Contains(out, part) {
			return true
		}
	}
	return strings.Contains(out, secret)
}

func TestRulesHideCorpus(t *testing.T) {
	t.Parallel()
	r := redact.New(redact.Options{})
	missed := map[string]int{}
	samples := corpus(7, 20)
	total := 0
	for _, s := range samples {
		if leaks(r.String(s.text), s.secret) {
			missed[s.kind]++
			total++
			if missed[s.kind] == 1 {
				t.Logf("missed %s: %q", s.kind, s.text)
			}
		}
	}
	t.Logf("hidden: %d of %d; missed by kind: %v", len(samples)-total, len(samples), missed)
	if total*200 > len(samples) {
		t.Errorf("%d of %d samples leak, at most one in two hundred may: %v", total, len(samples), missed)
	}
}

// TestRulesSpareSource redacts the source of Go, which holds no credential outside its tests.
func TestRulesSpareSource(t *testing.T) {
	t.Parallel()
	spares(t, sourceFiles(t))
}

// spares holds that at most two things are found in 10 MB of files without secrets.
func spares(t *testing.T, files []string) {
	t.Helper()
	r := redact.New(redact.Options{})
	size, finds := 0, 0
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		size += len(text)
		out := r.Bytes(text)
		if n := markers(string(out)) - markers(string(text)); n > 0 {
			finds += n
			logChanged(t, path, text, out)
		}
	}
	per10MB := 10 * float64(finds) / (float64(size) / (1 << 20))
	t.Logf("%d false finds in %d MB: %.2f in 10 MB", finds, size>>20, per10MB)
	if size < 10<<20 || per10MB > 2 {
		t.Errorf("%.2f false finds in 10 MB of %d bytes, want at most 2", per10MB, size)
	}
}

// TestHarmlessTextStays: what only looks like a credential.
func TestHarmlessTextStays(t *testing.T) {
	t.Parallel()
	r := redact.New(redact.Options{})
	for _, text := range []string{
		"postgres://user:password@localhost:5432/app",
		"postgres://postgres:your_password@localhost/app",
		"mysql://root:<password>@db/app, amqp://guest:${PASSWORD}@mq",
		"GIT_AUTHOR_DATE=2022-07-19T11:07:00-04:00",
		"ports: 127.0.0.1:5432:5432",
		`{"auth": "optional", "author": "somebody"}`,
		"docker run -p 8080:80 -u 1000:1000 nginx",
		"the mnemonic: a word that helps one remember",
		"const FS_KEY_TOKEN = 0xc0506617",
		"5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTj", // no wallet: its checksum is wrong
		"LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJmVENDQVNPZ0F3SUJBZ0lSQU5Ca1JqbTRSZ0E",
	} {
		if got := r.String(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func logChanged(t *testing.T, path string, before, after []byte) {
	t.Helper()
	old := map[string]bool{}
	for line := range bytes.Lines(before) {
		old[string(line)] = true
	}
	for line := range bytes.Lines(after) {
		if !old[string(line)] {
			t.Logf("%s: %.160s", filepath.Base(path), bytes.TrimSpace(line))
		}
	}
}

// sourceFiles are the Go files of Go itself without tests and test data.
func sourceFiles(t testing.TB) []string {
	t.Helper()
	goroot, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatalf("ask go for its sources: %v", err)
	}
	return filesBelow(t, filepath.Join(strings.TrimSpace(string(goroot)), "src"), func(path string) bool {
		return strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") &&
			(!strings.Contains(path, "/src/cmd/") || strings.Contains(path, "/src/cmd/go/")) // `make redaction` measures the rest too
	})
}

// filesBelow are the wanted files of a folder, without test data.
func filesBelow(t testing.TB, root string, wanted func(path string) bool) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "testdata" {
			return fs.SkipDir
		}
		if d.Type().IsRegular() && wanted(path) {
			out = append(out, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestNoKindIsKept holds the corpus of kinds: no credential of it stays, in one text or streamed.
func TestNoKindIsKept(t *testing.T) {
	t.Parallel()
	all := occurrences()
	kinds := map[string]bool{}
	r := redact.New(redact.Options{})
	for i, o := range all {
		kinds[o.kind] = true
		for seed := range uint64(20) {
			secret := o.make(rand.New(rand.NewPCG(uint64(i), seed)))
			if strings.HasPrefix(o.text, "{") {
				secret = strings.ReplaceAll(secret, "\n", `\n`)
			}
			text := "first line\n" + strings.Replace(strings.ReplaceAll(o.text, "%%", "%"), "%s", secret, 1) + "\nlast line\n"
			if got := r.String(text); leaks(got, secret) {
				t.Errorf("%s is kept: %q", o.kind, got)
				break
			}
			if got := stream(t, r, text, 1+int(seed)*7); leaks(got, secret) {
				t.Errorf("%s is kept when it is streamed: %q", o.kind, got)
				break
			}
		}
	}
	if len(kinds) < 150 {
		t.Errorf("the corpus has %d kinds", len(kinds))
	}
	t.Logf("%d kinds", len(kinds))
}
