package service

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/naming"
	"github.com/stellwerk-dev/stellwerk/internal/show"
)

// steer submits a person's word about a run.
func (a *Service) steer(ctx context.Context, id string, say func(*core.Run) (core.Body, error)) (api.Run, error) {
	run, err := a.find.Run(ctx, id)
	if err != nil {
		return api.Run{}, err
	}
	body, err := say(run)
	if err != nil {
		return api.Run{}, err
	}
	run, err = a.engine.Submit(ctx, run.ID, api.Speaker(ctx, run.Session), body)
	if err != nil {
		return api.Run{}, err
	}
	return show.Run(run), nil
}

// Approve implements api.Service. The request must say what the person was shown,
// and the approval holds for exactly that.
func (a *Service) Approve(ctx context.Context, id string, req api.Approve) (api.Run, error) {
	return a.steer(ctx, id, func(r *core.Run) (core.Body, error) {
		s := r.Gated()
		if s == nil || s.Gate.Approved {
			return nil, core.Errorf(core.CodeConflict, "run %s is %s: nothing waits for an approval", r.Alias, r.Status.InWords()).
				Offer(r.Choices(core.VerbStatus)...)
		}
		if req.Subject == nil {
			return nil, core.Errorf(core.CodeInvalid, "say what to approve in run %s", r.Alias).
				WithHint("send the subject of its gate, as GET /v1/runs/%s shows it", r.Alias)
		}
		if req.Base != "" && s.Gate.Subject.Base == "" {
			return nil, core.Errorf(core.CodeInvalid, "stage %s publishes nothing, so you cannot choose the base of a pull request", s.ID).
				WithHint("approve it without a base; you are asked again before anything is published")
		}
		if req.Base != "" && req.Base != s.Gate.Subject.Base {
			return core.TargetChosen{Base: req.Base, About: req.Subject}, a.hasBranch(ctx, r, req.Base)
		}
		return core.ApprovalGranted{Subject: *req.Subject, Comment: a.redactor.String(req.Comment), WithLeaks: req.WithSecrets}, nil
	})
}

// hasBranch refuses a target that the remote does not have.
func (a *Service) hasBranch(ctx context.Context, r *core.Run, branch string) error {
	if err := naming.CheckBranch(branch); err != nil {
		return err
	}
	y, err := a.yards.Yard(ctx, r.Project)
	if err != nil {
		return err
	}
	tip, err := y.RemoteTip(ctx, r.Remote, "refs/heads/"+branch)
	if err == nil && tip == "" {
		return core.Errorf(core.CodeNotFound, "the repository has no branch %q", branch)
	}
	return err
}

// Feedback implements api.Service.
func (a *Service) Feedback(ctx context.Context, id string, req api.Feedback) (api.Run, error) {
	return a.steer(ctx, id, func(r *core.Run) (core.Body, error) {
		if r.ByWaves() {
			return nil, core.Errorf(core.CodeUnsupported, "run %s works in waves: its planner reads answers, not feedback", r.Alias).
				WithHint("approve its work, or cancel it and start another run whose goal says what to change")
		}
		if s := r.Stage(core.PlanStage); r.Managed() && (s == nil || s.Status.Closed()) {
			return a.wish(ctx, r, req)
		}
		s, err := current(r)
		if err != nil {
			return nil, err
		}
		text, what := a.redactor.String(req.Text), about(s, req.Subject)
		if to := r.Answerable(s); to != s.ID && text != "" {
			return sendBack(r, s, core.RolledBack{From: s.ID, Target: to, Text: text, Reset: req.Reset, About: what}), nil
		}
		return core.FeedbackGiven{Stage: s.ID, Text: text, Reset: req.Reset, About: what}, nil
	})
}

// wish is feedback on the work of a project as a whole: it becomes work of its
// own.
func (a *Service) wish(ctx context.Context, r *core.Run, req api.Feedback) (core.Body, error) {
	if req.Reset {
		return nil, core.Errorf(core.CodeInvalid, "the work of a project cannot be reset").WithHint("say what is to change, and reset nothing")
	}
	return core.ChangesRequested{
		ID: fmt.Sprintf("here-%d", r.Stream.Seq), Source: api.CallerFrom(ctx).Actor.ID, Text: a.redactor.String(req.Text), About: req.Subject,
	}, nil
}

// Rollback implements api.Service.
func (a *Service) Rollback(ctx context.Context, id string, req api.Rollback) (api.Run, error) {
	return a.steer(ctx, id, func(r *core.Run) (core.Body, error) {
		s, err := current(r)
		if err != nil {
			return nil, err
		}
		body := sendBack(r, s, core.RolledBack{
			From: s.ID, Target: r.Called(req.To), Text: a.redactor.String(req.Text), Reset: req.Reset, About: about(s, req.Subject),
		})
		if body.Target == "" {
			return nil, core.Errorf(core.CodeInvalid, "no stage is suggested: say which to go back to").
				Offer(r.Choices(core.VerbRollback)...)
		}
		return body, nil
	})
}

// sendBack adds what the gate knows: the findings, and where they point if no
// stage is named.
func sendBack(r *core.Run, s *core.Stage, body core.RolledBack) core.RolledBack {
	if s.Gate == nil {
		return body
	}
	body.Findings = s.Gate.Findings
	if body.Target == "" {
		body.Target = s.Gate.Suggestion
	}
	if to := r.Answerable(s); body.Target == "" && to != s.ID {
		body.Target = to
	}
	return body
}

// Skip implements api.Service.
func (a *Service) Skip(ctx context.Context, id string, req api.Skip) (api.Run, error) {
	return a.steer(ctx, id, func(r *core.Run) (core.Body, error) {
		s, err := troubled(r)
		if err != nil {
			return nil, err
		}
		stage := r.Called(cmp.Or(req.Stage, s.ID))
		return core.StageSkipped{Stage: stage, Source: core.SkipPerson, Reason: a.redactor.String(req.Reason)}, nil
	})
}

// Retry implements api.Service.
func (a *Service) Retry(ctx context.Context, id string, req api.Retry) (api.Run, error) {
	return a.steer(ctx, id, func(r *core.Run) (core.Body, error) {
		s, err := troubled(r)
		if err != nil {
			return nil, err
		}
		b := core.AttemptsReset{Stage: s.ID}
		if req != (api.Retry{}) {
			limits := r.Limits.Attempt
			replace(&limits.CostUSD, req.MaxAttemptCostUSD)
			replace(&limits.Tokens, req.MaxAttemptTokens)
			b.Limits = &limits
		}
		return b, nil
	})
}

// troubled is the stage that a run paused for, if several may be open, or the
// current one.
func troubled(r *core.Run) (*core.Stage, error) {
	if r.Managed() && r.Pause != nil {
		if s := r.Stage(r.Pause.Stage); s != nil {
			return s, nil
		}
	}
	return current(r)
}

// Pause implements api.Service.
func (a *Service) Pause(ctx context.Context, id string, req api.Pause) (api.Run, error) {
	return a.steer(ctx, id, func(r *core.Run) (core.Body, error) {
		reason := req.Reason
		if reason == "" {
			reason = "paused by " + a.pausedBy(ctx)
		}
		return core.RunPaused{Code: core.PausePerson, Reason: a.redactor.String(reason), Stop: req.Stop, Advice: core.Advice{Choices: r.Choices(core.VerbResume)}}, nil
	})
}

// pausedBy names who paused a run, for a person.
func (a *Service) pausedBy(ctx context.Context) string {
	if caller := api.CallerFrom(ctx).Actor; caller.Kind != core.ActorSession {
		return caller.ID
	}
	return a.person + ", in their session"
}

// Resume implements api.Service.
func (a *Service) Resume(ctx context.Context, id string, req api.Resume) (api.Run, error) {
	if req.Session != nil {
		run, err := a.sessions.MoveTo(ctx, id, *req.Session)
		if err != nil {
			return api.Run{}, err
		}
		if run.Pause == nil {
			return show.Run(run), nil
		}
	}
	return a.steer(ctx, id, func(r *core.Run) (core.Body, error) {
		if r.Pause == nil {
			return nil, core.Errorf(core.CodeConflict, "run %s is %s, not paused", r.Alias, r.Status.InWords()).Offer(r.Choices(core.VerbStatus)...)
		}
		return core.RunResumed{Limits: raised(r.Limits, req)}, nil
	})
}

// raised are the limits with those that a person names in their place; nil where
// they name none.
func raised(l core.Limits, req api.Resume) *core.Limits {
	before := l
	replace(&l.CostUSD, req.MaxCostUSD)
	replace(&l.Tokens, req.MaxTokens)
	replace(&l.Project.CostUSD, req.MaxProjectCostUSD)
	replace(&l.Project.Tokens, req.MaxProjectTokens)
	replace(&l.Project.WallTime, req.MaxProjectTime)
	replace(&l.Project.Attempts, req.MaxProjectAttempts)
	if l == before {
		return nil
	}
	return &l
}

func replace[T int | int64 | float64 | time.Duration](limit *T, by T) {
	if by > 0 {
		*limit = by
	}
}

// Cancel implements api.Service.
func (a *Service) Cancel(ctx context.Context, id string, req api.Cancel) (api.Run, error) {
	return a.steer(ctx, id, func(*core.Run) (core.Body, error) {
		return core.RunCancelled{Reason: a.redactor.String(req.Reason)}, nil
	})
}

// about is what a word speaks of: what the person was shown, or else what waits as
// the word arrives. The law compares it with what waits when the word is committed.
func about(s *core.Stage, shown *core.Subject) *core.Subject {
	if shown != nil || s.Gate == nil {
		return shown
	}
	waits := s.Gate.Subject
	return &waits
}

func current(r *core.Run) (*core.Stage, error) {
	if s := r.Current(); s != nil && !r.Status.Terminal() {
		return s, nil
	}
	return nil, core.Errorf(core.CodeConflict, "run %s is %s", r.Alias, r.Status.InWords()).Offer(r.Choices(core.VerbStatus)...)
}
