package talk

import (
	"context"
	"errors"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/drive"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// reply follows a run until the manager's turn that read a person's words has
// ended.
type reply struct {
	sh     *shell.Shell
	to     string // event that waits for a reply; "" for the run's goal
	heard  bool   // it has happened
	inTurn bool   // the turn that reads it
	said   []api.Message
}

// errReplied ends the wait.
var errReplied = errors.New("replied")

// awaitReply shows what the manager replies to a person's words.
func awaitReply(ctx context.Context, sh *shell.Shell, svc api.Service, s api.Spoken) error {
	r := &reply{sh: sh, to: s.Event, heard: s.Event == ""}
	err := svc.Follow(ctx, s.Run.ID, s.Seq, r.see)
	switch {
	case errors.Is(err, shell.ErrInterrupted):
		return drive.Leave(sh, svc, s.Run)
	case err != nil && !errors.Is(err, errReplied):
		return err
	}
	detail, err := svc.Run(ctx, s.Run.ID)
	if err != nil {
		return err
	}
	if sh.JSON {
		return errors.Join(sh.PrintJSON(api.MessageList{Messages: append([]api.Message{}, r.said...)}), shell.Exit(waitExit(detail)))
	}
	if len(r.said) == 0 && detail.Waves == nil { // a planner speaks by what it decides
		sh.Printf("The manager said nothing.\n")
	}
	if detail.Status != core.StatusActive {
		sh.PrintLines(sh.View().Run(detail))
	} else if sh.EngineEnds(svc) {
		drive.TellLeft(sh, svc, detail.Run)
		return nil
	}
	return shell.Exit(waitExit(detail))
}

// waitExit is 0 if a run goes on or is completed.
func waitExit(d api.RunDetail) int {
	if d.Status == core.StatusActive {
		return shell.ExitOK
	}
	return shell.ExitByStatus(d.Status)
}

// see handles one event of the run.
func (r *reply) see(e core.Event) error {
	if e.ID == r.to {
		r.heard = true
	}
	body, err := core.Decode(e)
	if err != nil {
		return err
	}
	switch b := body.(type) {
	case core.StageOpened:
		r.inTurn = r.inTurn || r.heard && listener(b.Stage)
	case core.StagePassed:
		if r.inTurn && listener(b.Stage) {
			return errReplied
		}
	case core.MessageSent:
		if r.inTurn && b.Voice == core.VoiceGreen {
			return r.show(e)
		}
	case core.QuestionAsked:
		if r.inTurn {
			return r.show(e)
		}
	case core.RunPaused, core.ApprovalRequested:
		if r.heard {
			return errReplied
		}
	default:
	}
	return nil
}

// listener reports a stage whose agent reads what people say.
func listener(stage string) bool { return stage == core.ManagerStage || stage == core.PlannerStage }

func (r *reply) show(e core.Event) error {
	m, _, err := messageOf(e)
	if err != nil {
		return err
	}
	r.said = append(r.said, m)
	if !r.sh.JSON {
		r.sh.PrintLines(r.sh.View().Message(m))
	}
	return nil
}

// messageOf is the message in an event, if it has one.
func messageOf(e core.Event) (m api.Message, is bool, err error) {
	said, is, err := core.SaidIn(e)
	_, run := core.StreamKind(e.Stream)
	return api.Message{Said: said, Run: run, Seq: e.Seq, Event: e.ID, At: e.At}, is, err
}
