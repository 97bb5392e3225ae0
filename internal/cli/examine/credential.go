package examine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/doctor"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
	"github.com/stellwerk-dev/stellwerk/internal/program"
)

// examineCredentials looks for the variables that hold agents' credentials, and for
// the credential that the settings name. It shows no value and tries none.
func examineCredentials(ctx context.Context, sh *shell.Shell, kept config.CredentialSettings) api.Examined {
	var found, missing []string
	without := ""
	if sh.Credentials != nil {
		names := sh.Credentials()
		_, err := program.Look(os.Getenv("PATH"), "claude")
		set := slices.IndexFunc(names, func(name string) bool { return sh.Env(name) != "" })
		place, trouble := keptCredential(ctx, kept)
		switch none := "none of " + strings.Join(names, ", ") + " is set"; {
		case trouble != "":
			missing = append(missing, "claude: "+trouble)
		case place != "":
			found = append(found, "claude: "+place)
		case set >= 0:
			found = append(found, "claude: "+names[set]+" is set")
		case errors.Is(err, program.ErrMissing):
			without = "claude, which is not on PATH: " + none
		default:
			missing = append(missing, "claude: "+none)
		}
	}
	for _, s := range namedSecrets(ctx, sh) {
		if sh.Env(s.variable) != "" {
			found = append(found, fmt.Sprintf("%s: %s is set", s.playbook, s.variable))
		} else {
			missing = append(missing, fmt.Sprintf("%s: %s is not set", s.playbook, s.variable))
		}
	}
	switch {
	case len(missing) > 0:
		return doctor.Warn("credentials", strings.Join(append(missing, found...), "; "), "set it in the environment that starts your runs and the background engine; agents do not see a login in your home folder")
	case len(found) == 0 && without != "":
		return doctor.Warn("credentials", without, "`command` agents need none; for claude, install it and set one of these in the environment that starts your runs")
	case len(found) == 0:
		found = append(found, "no agent on this machine needs one")
	case without != "":
		found = append(found, without)
	}
	return doctor.OK("credentials", strings.Join(found, "; "))
}

type namedSecret struct{ playbook, variable string }

// namedSecrets are the variables that the playbooks of the working copy pass to
// their agents. It skips playbooks that it cannot read: playbook validate says why.
func namedSecrets(ctx context.Context, sh *shell.Shell) []namedSecret {
	repo := sh.Repository()
	files, err := repo.Playbooks()
	if err != nil {
		return nil
	}
	opts, err := repo.Options(ctx)
	if err != nil {
		return nil
	}
	var named []namedSecret
	for _, file := range files {
		data, err := repo.Read(file)
		if err != nil {
			continue
		}
		p, _, err := playbook.Parse(file, data, opts)
		if err != nil {
			continue
		}
		for _, variable := range p.Secrets() {
			named = append(named, namedSecret{p.Name, variable})
		}
	}
	return named
}

// examineProxies warns that agents do not get a proxy's password, if there is one.
func examineProxies(sh *shell.Shell) (api.Examined, bool) {
	names := sh.Proxies()
	if len(names) == 0 {
		return api.Examined{}, false
	}
	return doctor.Warn("proxy", "agents and checks see "+strings.Join(names, ", ")+" without the name and password in it", "use a local proxy that signs in for them, or list the variable under `secrets` of the agent that needs it"), true
}
