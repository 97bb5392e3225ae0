package yard

import (
	"bytes"
	"strings"
	"testing"
)

// TestAddedShowsWhatAMergeAdds: what stands in neither parent is pushed as well, also where a later commit takes it away.
func TestAddedShowsWhatAMergeAdds(t *testing.T) {
	f := newFixture(t)
	head := f.commit(t, "topic", `echo left > left; git add left; git commit -qm left; git checkout -q -b side HEAD~1
echo right > right; git add right; git commit -qm right; git checkout -q topic; git merge -q -m merge side
echo neither > neither; git add neither; git commit -q --amend --no-edit; git rm -q neither`)
	var out bytes.Buffer
	cut, err := f.yard.Added(ctx(t), &out, f.base, head, AddedOptions{History: "format:commit %s", MaxBytes: 1 << 20})
	must(t, err)
	_, merge, found := strings.Cut(out.String(), "commit merge\n")
	merge, _, _ = strings.Cut(merge, "commit ")
	if cut || !found || !strings.Contains(merge, "+++ b/neither\n@@ -0,0 +1 @@\n+neither\n") {
		t.Fatalf("cut %v, printed %s", cut, out.String())
	}
	for header, want := range map[string]int{"commit merge\n": 1, "+++ b/left\n": 1} {
		if got := strings.Count(out.String(), header); got != want {
			t.Errorf("%q is printed %d times", header, got)
		}
	}
}
