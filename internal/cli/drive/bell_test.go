package drive_test

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/drive"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestTheBellFollowsThePersonsSettings(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"unless told":         {nil, "\a"},
		"besides others":      {map[string]string{"STELLWERK_NOTIFY": "desktop,bell"}, "\a"},
		"another way":         {map[string]string{"STELLWERK_NOTIFY": "desktop"}, ""},
		"off":                 {map[string]string{"STELLWERK_NOTIFY": "off"}, ""},
		"quiet at noon":       {map[string]string{"STELLWERK_QUIET_HOURS": "11:00-13:00", "STELLWERK_QUIET_ZONE": "UTC"}, ""},
		"quiet at night only": {map[string]string{"STELLWERK_QUIET_HOURS": "22:00-07:00", "STELLWERK_QUIET_ZONE": "UTC"}, "\a"},
	} {
		t.Run(name, func(t *testing.T) {
			b, screen := clitest.New(t), &clitest.Buffer{}
			for k, v := range c.env {
				b.Env[k] = v
			}
			b.Console.Bell = screen
			drive.Ring(&shell.Shell{Program: b.Program}, "\a")
			if screen.String() != c.want || b.Err.String() != "" {
				t.Errorf("rang %q, said %q", screen.String(), b.Err.String())
			}
		})
	}
}

// TestWhatIsOverSoundsOtherwise: who looks away hears whether they are needed.
func TestWhatIsOverSoundsOtherwise(t *testing.T) {
	for event, want := range map[core.Type]string{
		core.TypeApprovalRequested: "\a", core.TypeRunPaused: "\a", core.TypeQuestionAsked: "\a",
		core.TypeRunCompleted: "\a\a", core.TypeRunFailed: "\a\a",
	} {
		if got := drive.Sound(event); got != want {
			t.Errorf("%s sounds like %q", event, got)
		}
	}
}

func TestPausesThatRing(t *testing.T) {
	for code, want := range map[core.PauseCode]bool{
		core.PausePerson: false, core.PauseProject: false, core.PauseQuestion: false,
		core.PauseAttempts: true, core.PauseBudget: true, core.PauseSterile: true, core.PausePublish: true,
	} {
		e, _, err := core.Seal("run/a", core.Head{}, clitest.Noon, core.Engine(), "", core.RunPaused{Code: code, Reason: "because"})
		if err != nil {
			t.Fatal(err)
		}
		if drive.Beckons(e) != want {
			t.Errorf("%s: %v", code, !want)
		}
	}
}
