package redact_test

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

// TestRulesSpareSource searches the source of Go without its tests. `make redaction` searches all of it.
func TestRulesSpareSource(t *testing.T) {
	t.Parallel()
	spares(t, sourceFiles(t))
}

// spares holds that at most two things that are no secrets are found in 10 MB of files. Keys that were published on purpose
// are counted apart: nothing about them tells that they open no door.
func spares(t *testing.T, files []string) {
	t.Helper()
	r := redact.New(redact.Options{})
	size, finds, keys := 0, 0, map[string]int{}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		size += len(text)
		for _, f := range r.Thread().Finds(text) {
			if isKeyMaterial(f.Name, string(text[f.Start:f.End])) {
				keys[path]++
				continue
			}
			finds++
			from := max(0, f.Start-60)
			t.Logf("%s: %s: %.200q", path, f.Name, text[from:f.End])
		}
	}
	published := 0
	for _, path := range files {
		if n := keys[path]; n > 0 {
			t.Logf("%s: %d keys and shared secrets that were published on purpose", path, n)
			published += n
		}
	}
	per10MB := 10 * float64(finds) / (float64(size) / (1 << 20))
	t.Logf("%d false finds in %d MB: %.2f in 10 MB; %d keys that were published on purpose", finds, size>>20, per10MB, published)
	if size < 10<<20 || per10MB > 2 {
		t.Errorf("%.2f false finds in 10 MB of %d bytes, want at most 2", per10MB, size)
	}
}

// isKeyMaterial says whether a find is a private key, by reading it as one, or the hexadecimal form of a key or secret in the
// size of one (256, 384, 512 and 521 bits) that is called a secret.
func isKeyMaterial(rule, found string) bool {
	digits := strings.Join(strings.Fields(found), "")
	der, err := hex.DecodeString(digits)
	if err != nil {
		if der, err = base64.StdEncoding.DecodeString(digits); err != nil {
			return false
		}
	} else if n := len(der); rule == "assignment" && (n == 32 || n == 48 || n == 64 || n == 66) {
		return true
	}
	if _, err := x509.ParsePKCS8PrivateKey(der); err == nil {
		return true
	}
	if _, err := x509.ParsePKCS1PrivateKey(der); err == nil {
		return true
	}
	_, err = x509.ParseECPrivateKey(der)
	return err == nil
}

// sourceFiles are the Go files of Go itself without tests and test data.
func sourceFiles(t testing.TB) []string {
	t.Helper()
	goroot, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatalf("ask go for its sources: %v", err)
	}
	return filesBelow(t, filepath.Join(strings.TrimSpace(string(goroot)), "src"), func(path string) bool {
		return strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && !strings.Contains(path, "/testdata/") &&
			(!strings.Contains(path, "/src/cmd/") || strings.Contains(path, "/src/cmd/go/"))
	})
}

// filesBelow are the wanted files of a folder.
func filesBelow(t testing.TB, root string, wanted func(path string) bool) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && wanted(path) {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
