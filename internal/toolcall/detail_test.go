package toolcall

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestADetailIsFoundAsAdmissionFindsIt: a document by a name without its version, and
// what has the same name and is of another kind if that is asked for.
func TestADetailIsFoundAsAdmissionFindsIt(t *testing.T) {
	run := &core.Run{Waves: &core.Waves{}, Playbook: &core.Playbook{}}
	run.Waves.Documents = []core.Document{
		{Detail: core.Detail{ID: "d1", Title: "licence_v1.md"}, Name: "licence_v1.md", Digest: "one"},
		{Detail: core.Detail{ID: "d2", Title: "licence_v2.md"}, Name: "licence_v2.md", Digest: "two"},
	}
	run.Waves.Pool = core.Pool{{ID: "f1", Key: "licence", Content: "MIT"}}
	for called, want := range map[string]string{
		"licence": "d2", "detail:licence.md": "d2", "licence_v1": "d1", "licence_v3": "", "fact:licence": "f1", "fact:licence_v1": "",
	} {
		kind, name := core.Reference(called)
		if got, _ := lookUp(run, kind, name); got.ID != want {
			t.Errorf("%s is %+v, not %q", called, got, want)
		}
		if kind != "" && run.Known(called) != (want != "") {
			t.Errorf("%s is known: %v", called, run.Known(called))
		}
	}
}

// TestExcerpt: a part ends with a whole character, and the rest can be had.
func TestExcerpt(t *testing.T) {
	text := strings.Repeat("ä", maxDetail/2+10) // two bytes each
	var got strings.Builder
	text = "x" + text
	for from, n := int64(0), 0; ; n++ {
		var out api.FetchedDetail
		if err := excerpt(&out, strings.NewReader(text), from); err != nil || n > 2 {
			t.Fatal(n, err)
		}
		got.WriteString(out.Content)
		if from = out.Next; from == 0 {
			break
		}
	}
	if got.String() != text {
		t.Errorf("%d bytes became %d", len(text), got.Len())
	}
}
