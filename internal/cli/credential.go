package cli

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/playbook"
)

// examineCredentials looks whether the variables are set that agents get their
// credentials by. It neither reads nor shows a value: whether one is good is for
// the agent to find out.
func (sh *shell) examineCredentials(ctx context.Context) finding {
	var missing []string
	if _, err := exec.LookPath("claude"); err == nil && sh.Credentials != nil {
		if names := sh.Credentials(); !slices.ContainsFunc(names, sh.isSet) {
			missing = append(missing, "claude: none of "+strings.Join(names, ", ")+" is set")
		}
	}
	for _, s := range sh.namedSecrets(ctx) {
		if !sh.isSet(s.variable) {
			missing = append(missing, fmt.Sprintf("%s: %s is not set", s.playbook, s.variable))
		}
	}
	if len(missing) == 0 {
		return finding{What: "credentials", Grade: gradeOK, Found: "nothing is missing, as far as can be seen"}
	}
	return finding{"credentials", gradeWarn, strings.Join(missing, "; "),
		"set it where you start runs, and where an engine runs in the background; agents do not see a login in your home folder"}
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
