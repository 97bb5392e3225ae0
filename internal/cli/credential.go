package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/doctor"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
	"github.com/stellwerk-dev/stellwerk/internal/program"
)

// examineCredentials looks whether the variables are set that agents get their
// credentials by, and whether one is where the settings say. It shows no value:
// whether one is good is for the agent to find out.
func (sh *shell) examineCredentials(ctx context.Context) api.Examined {
	if repo, err := sh.repository(); err == nil {
		if _, _, err := repo.settings(); err != nil {
			return unsettled("credentials")
		}
	}
	var found, missing []string
	without := ""
	if sh.Credentials != nil {
		names := sh.Credentials()
		_, err := program.Look(os.Getenv("PATH"), "claude")
		set := slices.IndexFunc(names, func(name string) bool { return sh.isSet(name) })
		place, trouble := sh.keptCredential(ctx)
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
	for _, s := range sh.namedSecrets(ctx) {
		if sh.isSet(s.variable) {
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

func (sh *shell) isSet(variable string) bool { return sh.Env(variable) != "" }

type namedSecret struct{ playbook, variable string }

// namedSecrets are the variables that the playbooks of the working copy pass to
// their agents. A playbook that cannot be read names none; playbook validate
// says why.
func (sh *shell) namedSecrets(ctx context.Context) []namedSecret {
	repo, err := sh.repository()
	if err != nil {
		return nil
	}
	files, err := repo.playbooks()
	if err != nil {
		return nil
	}
	opts, err := repo.options(ctx)
	if err != nil {
		return nil
	}
	var named []namedSecret
	for _, file := range files {
		data, err := repo.read(file)
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

// examineProxies says that a proxy's password stays here. There is nothing to say without one.
func (sh *shell) examineProxies() (api.Examined, bool) {
	if sh.Proxies == nil {
		return api.Examined{}, false
	}
	names := sh.Proxies()
	if len(names) == 0 {
		return api.Examined{}, false
	}
	return doctor.Warn("proxy", "agents and checks see "+strings.Join(names, ", ")+" without the name and password in it", "use a local proxy that signs in for them, or list the variable under `secrets` of the agent that needs it"), true
}
