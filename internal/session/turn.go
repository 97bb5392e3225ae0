package session

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/show"
	offer "github.com/stellwerk-dev/stellwerk/internal/spawn/session"
)

// Turn implements api.Sessions.
func (a *Sessions) Turn(ctx context.Context, name string, req api.TurnQuery) (api.Turn, error) {
	run, err := a.owned(ctx, name)
	if err != nil || run == nil {
		return api.Turn{}, err
	}
	if req.Idle {
		if err := a.abandon(ctx, run, req.Alive); err != nil {
			return api.Turn{}, err
		}
	}
	wait, cancel := context.WithTimeout(ctx, max(req.Wait, 0))
	defer cancel()
	late := time.Now().Add(startGrace)
	for {
		offering := a.offering(run) // before the offers are read: one that comes between the two is waited for
		t := a.turn(run)
		starting := a.starting(run, req.Alive) && time.Now().Before(late)
		unsettled := t.Kind == api.TurnVerify || t.Kind == api.TurnStart && (offering || starting)
		if !unsettled || wait.Err() != nil {
			if t.Kind == api.TurnOver && !req.Peek { // it has been told, and is let go
				err = a.release(run.Session)
			}
			return t, err
		}
		a.await(wait, run.ID)
		if run, err = a.Engine.Load(ctx, run.ID); err != nil {
			return api.Turn{}, err
		}
	}
}

// startGrace is how long an agent that the session has started may take to take
// its offer, before the session is told to start one again.
const startGrace = 5 * time.Second

// starting reports an agent of the session that has taken no offer yet.
func (a *Sessions) starting(run *core.Run, alive []string) bool {
	known := map[string]bool{}
	for _, s := range run.Stages {
		for _, t := range s.Tasks {
			for _, attempt := range t.Attempts {
				if taken, err := offer.TakenBy(a.layout.Attempt(run.ID, attempt.ID)); err == nil {
					known[taken.Agent] = true
				}
			}
		}
	}
	return slices.ContainsFunc(alive, func(agent string) bool { return !known[agent] })
}

// turn says what a session is to do in a state.
func (a *Sessions) turn(run *core.Run) api.Turn {
	view := show.Run(run)
	t := api.Turn{Kind: api.TurnVerify, Run: &view, Stages: len(run.Stages), Pause: run.Pause, Busy: run.Busy()}
	s := run.Current()
	if s != nil {
		t.Stage, t.Round, t.Number = s.ID, s.Round, run.Playbook.Number(s.ID)
		for i, other := range run.Stages {
			if other == s {
				t.At = i + 1
			}
		}
	}
	if run.Word != nil {
		t.Heard = run.Word.Means
	}
	switch {
	case run.Status.Terminal():
		t.Kind = api.TurnOver
	case run.Pause != nil:
		t.Kind = api.TurnPaused
	case run.Status == core.StatusAwaiting && s != nil:
		t.Kind, t.Gate, t.Shown, t.Back = api.TurnGate, s.Gate, a.shown(run, s), back(run)
		t.Words, t.Acts = a.approvalWords(), run.Answerable(s)
	default:
		t.Offers = a.offers(run)
		if len(t.Offers) > 0 {
			t.Kind = api.TurnStart
		} else if len(a.workers(run)) > 0 {
			t.Kind = api.TurnWorking
		}
	}
	return t
}

// back are the stages that a run can be sent back to, each with its number.
func back(run *core.Run) []string {
	var names []string
	for i, number := range run.Playbook.Numbers() {
		phase := run.Playbook.Phases[i]
		if s := run.Stage(phase.ID); s != nil && s.Status != core.StagePending && phase.Act == "" {
			names = append(names, number+" "+phase.ID)
		}
	}
	return names
}

// shown are the documents of a stage that a person should read at its gate.
func (a *Sessions) shown(run *core.Run, s *core.Stage) []string {
	var paths []string
	for _, t := range s.Tasks {
		d := t.Delivered()
		if d == nil {
			continue
		}
		for _, artifact := range d.Artifacts {
			if artifact.Name == "report.json" {
				continue
			}
			paths = append(paths, filepath.Join(a.Folder(run.ID), "artifacts", fmt.Sprintf("%s.r%d", s.ID, s.Round), artifact.Name))
		}
	}
	return paths
}

// Say implements api.Sessions.
func (a *Sessions) Say(ctx context.Context, name string, req api.Say) (api.Turn, error) {
	run, err := a.owned(ctx, name)
	if err != nil || run == nil {
		return api.Turn{}, err
	}
	if slices.Contains(api.CallerFrom(ctx).Inside, name) {
		return api.Turn{}, core.Errorf(core.CodeForbidden, "this came from inside session %s, not from the person in it", name).
			WithHint("only the hook of the session's own program tells what they type")
	}
	own, err := a.ownWords()
	if err != nil {
		return api.Turn{}, err
	}
	means := core.MeaningOf(req.Text, own...)
	asked := run.Status == core.StatusAwaiting || run.Status == core.StatusPaused
	if run.Status.Terminal() || !asked && means == "" {
		return a.turn(run), nil
	}
	word := core.WordGiven{Session: name, Means: means, Text: plain.Clip(a.Redactor.String(req.Text), maxWord)}
	if s := run.Current(); s != nil && s.Gate != nil && !s.Gate.Approved && run.Status == core.StatusAwaiting {
		subject := s.Gate.Subject
		word.Subject = &subject
	}
	// The hook of the person's own program heard it: these are their words.
	run, err = a.Engine.Submit(ctx, run.ID, core.Person(a.Person), word)
	if err != nil {
		return api.Turn{}, err
	}
	return a.turn(run), nil
}

// ownWords are those with which the person approves by their own settings, as
// they are now.
func (a *Sessions) ownWords() ([]string, error) {
	s, err := config.OfPerson(nil)
	if err != nil {
		return nil, err
	}
	return s.Approvals.V, nil
}

// approvalWords are those that the person is told of at a gate.
func (a *Sessions) approvalWords() []string {
	own, err := a.ownWords()
	if err != nil {
		a.Log.Warn("the words of the person's settings are not listed", "error", err)
	}
	return append(core.ApprovalWords(cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG"))), own...)
}

// maxWord bounds what is kept of a person's message.
const maxWord = 2000

// Begin implements api.Sessions.
func (a *Sessions) Begin(ctx context.Context, name string, req api.Begin) (api.Turn, error) {
	run, err := a.owned(ctx, name)
	if err != nil || run == nil {
		return api.Turn{}, err
	}
	if req.Source != "compact" && req.Source != "clear" { // those happen in one and the same process
		if err := a.abandon(ctx, run, nil); err != nil {
			return api.Turn{}, err
		}
	}
	return a.turn(run), a.Refresh(ctx, run.ID)
}

// End implements api.Sessions.
func (a *Sessions) End(ctx context.Context, name string) error {
	run, err := a.owned(ctx, name)
	if err != nil || run == nil {
		return err
	}
	return a.abandon(ctx, run, nil)
}
