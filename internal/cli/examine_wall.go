package cli

import (
	"context"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/config"
)

// examineWalls has a process in a sandbox try to get past each wall.
func (sh *shell) examineWalls(ctx context.Context) finding {
	const what = "walls"
	if kind, _ := sh.Isolation(ctx); kind != config.IsolationSandbox {
		return finding{What: what, Grade: gradeWarn, Found: "none: agents cannot be isolated here"}
	}
	r, err := sh.Walls(ctx)
	if err != nil {
		return finding{what, gradeFail, "they cannot be tried: " + terminal.Line(err.Error()), "attempts would not start either; `stellwerk run --isolation none` gives the walls up"}
	}
	var broken []string
	for _, text := range []string{r.Network, r.Inside, r.Calls, r.Files} {
		if text != "" {
			broken = append(broken, terminal.Line(text))
		}
	}
	if len(broken) > 0 {
		return finding{what, gradeFail, strings.Join(broken, "; "), "do not run agents here that you would not run as yourself; a newer bubblewrap or kernel may help"}
	}
	return finding{What: what, Grade: gradeOK, Found: "tried from inside: network closed, loopback and the supervisor reached, system calls filtered, files hidden"}
}
