package playbook

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// FuzzParse never panics, and whatever it accepts can be shown and read again.
func FuzzParse(f *testing.F) {
	for _, test := range allBad() {
		f.Add([]byte(test.text))
	}
	for _, name := range Builtins() {
		data, _ := BuiltinSource(name)
		f.Add(data)
	}
	o := options()
	f.Fuzz(func(t *testing.T, data []byte) { reparse(t, data, o) })
}

type failer interface {
	Errorf(format string, args ...any)
}

func reparse(t failer, data []byte, o Options) {
	p, _, err := Parse("p.yaml", data, o)
	if err != nil {
		return
	}
	text, err := Render(*p)
	if err != nil {
		t.Errorf("accepted but not rendered: %v", err)
		return
	}
	again, _, err := Parse("r.yaml", text, Options{})
	if err != nil {
		t.Errorf("%q is accepted, its rendering is not: %v\n%s", data, err, text)
		return
	}
	if diff := cmp.Diff(p, again, sameContent); diff != "" {
		t.Errorf("%q: %s", data, diff)
	}
}

// TestParseMutations damages valid playbooks in small ways: lines lost, doubled, swapped, bytes changed.
func TestParseMutations(t *testing.T) {
	good := goodPlaybooks(t)
	var texts [][]byte
	for _, name := range []string{"testdata/good/full.yaml", "testdata/good/rules.yaml", "testdata/good/manager.yaml", "testdata/good/waves.yaml", Feature} {
		texts = append(texts, good[name])
	}
	o := options()
	rapid.Check(t, func(t *rapid.T) {
		data := append([]byte(nil), rapid.SampledFrom(texts).Draw(t, "text")...)
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
			end := min(len(data), at+rapid.IntRange(0, 30).Draw(t, "length"))
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				data = append(data[:at:at], data[end:]...)
			case 1:
				data = append(data[:end:end], data[at:]...)
			case 2:
				data[at] = rapid.SampledFrom([]byte("[]{}:-*&!|>'\"#%@ \t\nx0.\xff")).Draw(t, "byte")
			case 3:
				insert := rapid.SampledFrom([]string{"null", "[]", "{}", "\n- ", ": ", "*a", "&a ", "<<: ", "1", "true", ".."}).Draw(t, "insert")
				data = append(data[:at:at], append([]byte(insert), data[at:]...)...)
			}
			if len(data) == 0 {
				return
			}
		}
		reparse(t, data, o)
	})
}
