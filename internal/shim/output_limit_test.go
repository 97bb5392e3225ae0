package shim

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// silent finds no secrets.
type silent struct{ Redactor }

func (silent) Redact(text string) string { return text }

// TestOutputsWithinTheirLimits: of a file and of all of them, to the byte.
func TestOutputsWithinTheirLimits(t *testing.T) {
	for name, c := range map[string]struct {
		sizes []int // of the files a, b, c
		taken string
	}{
		"all":                     {[]int{4, 4, 2}, "abc"},
		"a file at its limit":     {[]int{6}, "a"},
		"a file beyond it":        {[]int{7, 1}, "b"},
		"one too many":            {[]int{6, 4, 1}, "ab"},
		"one that is too much":    {[]int{6, 5}, "a"},
		"what fits after it does": {[]int{6, 5, 4}, "ac"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for i, size := range c.sizes {
				if err := os.WriteFile(filepath.Join(dir, string(rune('a'+i))), make([]byte, size), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			outputs, refused := collect(dir, outputLimits{file: 6, total: 10}, silent{})
			var taken strings.Builder
			for _, out := range outputs {
				taken.WriteString(out.Name)
			}
			if taken.String() != c.taken || len(outputs)+len(refused) != len(c.sizes) {
				t.Errorf("taken are %q, want %q; refused %+v", taken.String(), c.taken, refused)
			}
		})
	}
}
