package yard

import (
	"path/filepath"
	"testing"
)

func TestCheckedOutSomewhere(t *testing.T) {
	f := newFixture(t)
	beside := filepath.Join(folder(t), "beside")
	sh(t, f.person, "git branch free && git worktree add -q -b topic "+beside)
	for address, want := range map[string]map[string]string{
		f.person:                             {"main": f.person, "topic": beside, "free": "", "mai": "", "none": ""},
		filepath.Join(f.person, ".git"):      {"main": f.person, "topic": beside, "free": ""},
		"file://" + f.person:                 {"main": f.person},
		bareRemote(t, f):                     {"main": "", "topic": ""},
		"https://example.org/elsewhere.git/": {"main": ""},
	} {
		for branch, tree := range want {
			got, first, err := CheckedOut(ctx(t), address, branch)
			must(t, err)
			equal(t, address+" "+branch, got, tree)
			equal(t, address, first, want["main"])
		}
	}
}
