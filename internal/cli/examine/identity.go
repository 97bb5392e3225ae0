package examine

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/doctor"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// examineIdentity checks that git has a name and an address for commits: without
// them no run starts.
func examineIdentity(ctx context.Context, sh *shell.Shell) api.Examined {
	const what = "identity"
	ctx, cancel := context.WithTimeout(ctx, doctor.Timeout)
	defer cancel()
	person, err := yard.PersonIdentity(ctx, sh.Dir)
	if err != nil {
		return doctor.Warn(what, "git cannot say who you are: "+terminal.Line(err.Error()), "try it yourself: git config user.name")
	}
	if !person.Complete() {
		f := doctor.Fail(what, "git does not know who you are, so no run can commit", `git config --global user.name "Your Name" && git config --global user.email you@example.org`)
		if yard.CommonDir(sh.Dir) == "" {
			f.Grade, f.Found = api.GradeWarn, "git does not know who you are, unless a repository sets its own user.name and user.email"
		}
		return f
	}
	return doctor.OK(what, terminal.Line(person.Name+" <"+person.Email+">"))
}
