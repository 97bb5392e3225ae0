package app_test

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestARunThatIsNotThereMovesNowhere(t *testing.T) {
	d := newDesk(t, sessionPlaybook)
	if _, err := d.app.Service.Resume(d.person(), "nobody", api.Resume{Session: &d.session}); core.CodeOf(err) != core.CodeNotFound {
		t.Error(err)
	}
}
