package plain

import (
	"os/exec"
	"testing"
)

// TestAShellReadsWhatWasQuoted: as one word, and as nothing else.
func TestAShellReadsWhatWasQuoted(t *testing.T) {
	for _, word := range []string{"/home/ada/shop", "feature/x", "it's a dir", "$(touch x) `id`; &&", `a\b"c"`, "ä *", "~", "#1", "", "a=b", "-x", "sha256:4be1@%+,"} {
		out, err := exec.CommandContext(t.Context(), "sh", "-c", "printf %s "+ShellWord(word)).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q is read as %q, %v", word, out, err)
		}
	}
}
