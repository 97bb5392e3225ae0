package shim

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

// TestAnExitStaysSmall, whatever its agent says last and calls its files: it is one message to an engine elsewhere.
func TestAnExitStaysSmall(t *testing.T) {
	t.Parallel()
	dir, long := t.TempDir(), strings.Repeat("<", 200) // which JSON writes with six bytes each
	mkdir(t, dir, long)
	for i := range maxOutputFiles - 1 {
		put(t, dir, fmt.Sprintf("%s/%d", long, i), "")
	}
	put(t, dir, "~short.md", "")
	huge := strings.Repeat("\x01", 2<<20)
	exit := Exit{
		Detail: huge, Outcome: agent.Outcome{Message: huge, Summary: huge, SessionID: huge},
		Traffic: &agent.Traffic{Hosts: []agent.HostTraffic{{Host: huge, Cause: huge}}},
		HandIn:  &HandIn{Error: huge, HandInResult: HandInResult{Gone: huge, Notes: []string{huge}}},
	}
	exit.Outputs, exit.Refused = collect(dir, outputLimits{1 << 20, 1 << 20}, masking{})
	exit.redact(masking{})
	raw, err := json.Marshal(exit)
	if err != nil || len(raw) > 512<<10 {
		t.Errorf("it has %d bytes, %v", len(raw), err)
	}
	if n := len(exit.Outputs); n < 2 || exit.Outputs[n-1].Name != "~short.md" || !strings.HasPrefix(exit.Refused[0].Reason, "the names of all files") {
		t.Errorf("%d files are taken; refused are %+v", n, exit.Refused)
	}
	if refused := exit.Refused[len(exit.Refused)-1]; refused.Name != "further files" {
		t.Errorf("the last that is refused is %+v", refused)
	}
	c := collector{redactor: masking{}}
	if c.refuse("x", huge); len(c.refused[0].Reason) > maxRefusedText {
		t.Errorf("why has %d bytes", len(c.refused[0].Reason))
	}
}
