package redact_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

// leaks says whether out still shows a part of secret that would help: eight characters of its second half.
func leaks(out, secret string) bool {
	footer := "-----END RSA PRIV" + "ATE KEY-----"
	for i := len(secret) / 2; i+8 <= len(secret); i++ {
		part := secret[i : i+8]
		if !strings.HasPrefix(part, "-----") && !strings.Contains(footer, part) && strings.Contains(out, part) {
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

// TestRulesSpareSource redacts the source of Go's standard library, which holds no credential outside its tests.
func TestRulesSpareSource(t *testing.T) {
	t.Parallel()
	r := redact.New(redact.Options{})
	size, finds := 0, 0
	for _, path := range sourceFiles(t) {
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
	perMB := float64(finds) / (float64(size) / (1 << 20))
	t.Logf("%d false finds in %d MB: %.2f per MB", finds, size>>20, perMB)
	if size < 1<<20 || perMB > 1 {
		t.Errorf("%.2f false finds per MB of %d bytes, want at most 1", perMB, size)
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

// sourceFiles are Go files of the standard library without tests and test data.
func sourceFiles(t testing.TB) []string {
	t.Helper()
	goroot, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatalf("ask go for its sources: %v", err)
	}
	var out []string
	for _, dir := range []string{"net", "crypto", "go", "encoding", "os", "database", "text", "cmd/go/internal"} {
		root := filepath.Join(strings.TrimSpace(string(goroot)), "src", dir)
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && d.Name() == "testdata" {
				return fs.SkipDir
			}
			if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				out = append(out, path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}
