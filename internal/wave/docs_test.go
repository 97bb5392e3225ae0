package wave

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	google "github.com/google/jsonschema-go/jsonschema"
)

// TestEveryFieldIsDocumented with whether it must be there, its bound, and whether it is cut.
func TestEveryFieldIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/waves.md")
	if err != nil {
		t.Fatal(err)
	}
	decision, output := parsed(Decision), parsed(Output)
	for heading, schema := range map[string]*google.Schema{
		"Delegation": parsed(Delegation), "Criterion": decision.Defs["criterion"], "Context packet": parsed(Packet),
		"Worker output": output, "Coverage": output.Defs["coverage"], "Question": output.Defs["asked"], "Claim": output.Defs["claimed"],
		"Planner decision": decision, "Pool entry": parsed(PoolEntry),
	} {
		_, section, found := strings.Cut(string(page), "\n### "+heading+"\n")
		section, _, _ = strings.Cut(section, "\n### ")
		rows := documented(section)
		if !found || len(rows) != len(schema.Properties) {
			t.Errorf("%s: %d rows for %d fields", heading, len(rows), len(schema.Properties))
		}
		for name, prop := range schema.Properties {
			row, found := rows[name]
			if !found || strings.HasPrefix(row, "●") != slices.Contains(schema.Required, name) {
				t.Errorf("%s: %s is not described as it is: %q", heading, name, row)
			}
			if prop.Ref == "#/$defs/name" && schema.ID != parsed(PoolEntry).ID {
				prop = decision.Defs["name"]
			}
			cells := strings.Split(row, "|")
			last := strings.TrimSpace(cells[max(0, len(cells)-2)])
			if bound := inWords(prop); bound != "" && !strings.HasPrefix(last, bound) {
				t.Errorf("%s: %s is bounded by %q, the page says %q", heading, name, bound, last)
			}
			if strings.HasSuffix(last, "✂") != (prop.Extra["x-cut"] == true) {
				t.Errorf("%s: whether %s is cut: %q", heading, name, last)
			}
		}
	}
	for def, section := range map[string]*google.Schema{"detail": parsed(Packet), "past_answer": parsed(Packet), "left": parsed(Packet),
		"answering": decision, "resolution": decision, "dropped": decision} {
		for name := range section.Defs[def].Properties {
			if !strings.Contains(string(page), "`"+name+"`") {
				t.Errorf("%s: %s is not described", def, name)
			}
		}
	}
	for _, bound := range []string{"more than 1 MiB", fmt.Sprintf("more than %d levels", MaxDepth), fmt.Sprintf("`%.0fh`", MaxAfter.Hours())} {
		if !strings.Contains(string(page), bound) {
			t.Errorf("the page does not say %q", bound)
		}
	}
}

// documented are the rows of a section's table, by the field that each is about.
func documented(section string) map[string]string {
	rows := map[string]string{}
	for line := range strings.Lines(section) {
		rest, ok := strings.CutPrefix(line, "| `")
		if name, row, found := strings.Cut(rest, "` "); ok && found {
			rows[name] = row
		}
	}
	return rows
}

// inWords is a bound as the page has it.
func inWords(s *google.Schema) string {
	bound, unit := s.MaxLength, ""
	if s.Type == "array" {
		bound, unit = s.MaxItems, " entries"
	}
	if bound == nil {
		return ""
	}
	n := fmt.Sprint(*bound)
	if len(n) > 3 {
		n = n[:len(n)-3] + "," + n[len(n)-3:]
	}
	return n + unit
}
