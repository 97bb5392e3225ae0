package cli

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/wall"
)

// examineWalls has a process in a sandbox try to get past each wall.
func (sh *shell) examineWalls(ctx context.Context) []finding {
	const what = "walls"
	if kind, _ := sh.Isolation(ctx); kind != config.IsolationSandbox {
		return []finding{{What: what, Grade: gradeWarn, Found: "none: Stellwerk cannot isolate agents here"}}
	}
	trials, err := sh.Walls(ctx)
	if err != nil {
		return []finding{{what, gradeFail, "cannot test them: " + terminal.Line(err.Error()), "attempts would not start either; to run without walls: stellwerk run --isolation none"}}
	}
	grades := map[wall.State]grade{wall.Holds: gradeOK, wall.Unclear: gradeWarn, wall.Broken: gradeFail}
	var out []finding
	for _, t := range trials {
		out = append(out, finding{t.Wall, grades[t.State], terminal.Line(t.Found), terminal.Line(t.Advice)})
	}
	return out
}
