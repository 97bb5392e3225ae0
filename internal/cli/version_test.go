package cli

import (
	"runtime/debug"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

func TestBuildIsWhatTheToolchainRecorded(t *testing.T) {
	const commit, date = "0123456789abcdef0123456789abcdef01234567", "2026-01-02T03:04:05Z"
	settings := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{
			{Key: "-trimpath", Value: "true"}, {Key: "vcs", Value: "git"},
			{Key: "vcs.revision", Value: commit}, {Key: "vcs.time", Value: date}, {Key: "vcs.modified", Value: modified},
		}
	}
	for _, c := range []struct {
		name, version string
		settings      []debug.BuildSetting
		want          shell.Build
	}{
		{"a release", "v1.2.3", settings("false"), shell.Build{Version: "v1.2.3", Commit: commit, Date: date}},
		{"a clone with changes", "v1.2.3+dirty", settings("true"), shell.Build{Version: "v1.2.3+dirty", Commit: commit, Date: date, Modified: true}},
		{"a clone without versions", "(devel)", settings("false"), shell.Build{Version: "devel", Commit: commit, Date: date}},
		{"no clone", "v1.2.3", nil, shell.Build{Version: "v1.2.3"}},
		{"no module", "", nil, shell.Build{Version: "devel"}},
	} {
		if got := recorded(c.version, c.settings); got != c.want {
			t.Errorf("%s: %#v, want %#v", c.name, got, c.want)
		}
	}
}
