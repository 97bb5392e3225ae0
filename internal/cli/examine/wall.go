package examine

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/doctor"
)

// examineWalls has a process in a sandbox try to get past each wall.
func examineWalls(ctx context.Context, sh *shell.Shell) []api.Examined {
	const what = "walls"
	if kind, _ := sh.Isolation(ctx); kind != config.IsolationSandbox {
		return []api.Examined{doctor.Warn(what, "none: Stellwerk cannot isolate agents here", "")}
	}
	return doctor.Walls(sh.Walls(ctx))
}
