package playbook

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

var sameContent = cmp.Options{cmpopts.IgnoreFields(core.Playbook{}, "Hash", "Origin"), cmpopts.IgnoreFields(core.Role{}, "Origin"), cmpopts.EquateEmpty()}

// TestRenderRoundTrip shows a playbook and reads it again, without the roles and commands it was made with.
func TestRenderRoundTrip(t *testing.T) {
	for name, data := range goodPlaybooks(t) {
		first, _, err := Parse(name, data, options())
		if err != nil {
			t.Fatal(err)
		}
		text, err := Render(*first)
		if err != nil {
			t.Fatal(err)
		}
		second, _, err := Parse("rendered.yaml", text, Options{})
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		if diff := cmp.Diff(first, second, sameContent); diff != "" {
			t.Errorf("%s: %s\n%s", name, diff, text)
		}
		if err := compiled(t).Validate(decode(t, text)); err != nil {
			t.Errorf("%s: the rendered playbook does not fit the schema: %v", name, err)
		}
	}
}

func TestRenderKeepsAwkwardText(t *testing.T) {
	for _, prompt := range []string{"true", "12", "a: b", " leading\nline", "trailing \n\nlines\n\n", "tab\there\nx", "# no comment",
		"\u2028x\ny", "*star", "ends\n   indented\nback", "quote \" and '", "---\nx"} {
		p, _, err := Builtin(Feature, options())
		if err != nil {
			t.Fatal(err)
		}
		p.Phases[0].Prompt = prompt
		text, err := Render(*p)
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := Parse("r.yaml", text, Options{})
		if err != nil {
			t.Errorf("%q: %v", prompt, err)
			continue
		}
		if got := again.Phases[0].Prompt; got != prompt {
			t.Errorf("%q became %q", prompt, got)
		}
	}
}
