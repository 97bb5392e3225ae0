package examine

import (
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/audit"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/doctor"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// examineAudit looks whether the key that signs the history can be used, and whether paths that the person opened to
// agents have it. Runs go on without.
func examineAudit(s *config.Settings) api.Examined {
	const what = "audit"
	key, err := audit.ReadKey(s.Audit.Key.V)
	if err == nil {
		err = audit.Hidden(s.Audit.Key.V, s.ReadOnly.V)
	}
	if err != nil {
		return doctor.Warn(what, terminal.Line("the history is not signed: "+err.Error()), wording.Hint(err))
	}
	return doctor.OK(what, "the history is signed with "+key.Fingerprint())
}
