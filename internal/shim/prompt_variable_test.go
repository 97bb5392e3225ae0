package shim

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

// TestAPromptInTheEnvironmentIsWholeOrNotThere: the kernel refuses to start a program
// with a variable that is too long or has a zero in it.
func TestAPromptInTheEnvironmentIsWholeOrNotThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prompt.md")
	for name, c := range map[string]struct {
		text string
		is   bool
	}{
		"short": {"do it", true}, "as long as can be": {strings.Repeat("x", maxPromptVariable), true},
		"too long": {strings.Repeat("x", maxPromptVariable+1), false}, "with a zero": {"do\x00it", false},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, is := managedVariables(Spec{Tools: "/tools", Job: agent.Job{Prompt: path}})["TASK_PROMPT"]
		if is != c.is || is && got != c.text {
			t.Errorf("%s: there is %v, of %d bytes", name, is, len(got))
		}
	}
	if got, is := managedVariables(Spec{Tools: "/tools", Job: agent.Job{Prompt: path + ".none"}})["TASK_PROMPT"]; is {
		t.Errorf("without a prompt there is %q", got)
	}
}
