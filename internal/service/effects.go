package service

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/journal"
	"github.com/stellwerk-dev/stellwerk/internal/runfolder"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
)

// maxEffects is how many records an answer holds.
const maxEffects = 10_000

// Effects implements api.Service. Attempts under way have no records yet: their
// transcripts are looked at.
func (a *Service) Effects(ctx context.Context, id string, q api.EffectQuery) (api.Effects, error) {
	run, err := a.find.Run(ctx, id)
	if err != nil {
		return api.Effects{}, err
	}
	if q.Outcome != "" && !slices.Contains(api.EffectOutcomes(), q.Outcome) {
		return api.Effects{}, core.Errorf(core.CodeInvalid, "%q is not an outcome of a tool call", q.Outcome).
			WithHint("one of: %s", strings.Join(api.EffectOutcomes(), ", "))
	}
	if err := a.engine.WriteUp(ctx, run.ID); err != nil {
		return api.Effects{}, err
	}
	found := &effects{query: q}
	recorded := map[string]bool{}
	err = runfolder.EachSideEffect(a.journal.Dir(run.ID), func(e runfolder.SideEffect) error {
		recorded[e.Attempt] = recorded[e.Attempt] || e.Seq == 0 // its transcript was taken down
		found.add(viewEffect(e))
		return nil
	})
	if err != nil {
		return api.Effects{}, err
	}
	for _, at := range run.Active() {
		if recorded[at.ID] {
			continue
		}
		if err := a.underWay(ctx, run, at, found); err != nil {
			return api.Effects{}, err
		}
	}
	if q.Attempt != "" && !found.attempt && !a.hasAttempt(run, q.Attempt) {
		return api.Effects{}, noAttempt(run, q.Attempt)
	}
	return found.list(), nil
}

// hasAttempt knows those of earlier rounds by the transcripts they left.
func (a *Service) hasAttempt(run *core.Run, attempt string) bool {
	if _, _, at := run.Attempt(attempt); at != nil {
		return true
	}
	_, err := os.Lstat(filepath.Join(a.journal.Dir(run.ID), runfolder.TranscriptsDir, filepath.Base(attempt)+".jsonl"))
	return err == nil && filepath.Base(attempt) == attempt
}

func noAttempt(run *core.Run, attempt string) error {
	return core.Errorf(core.CodeNotFound, "run %s has no attempt %s", run.Alias, attempt).Offer(run.Choices(core.VerbStatus)...)
}

// underWay adds what an attempt that has not ended did so far.
func (a *Service) underWay(ctx context.Context, run *core.Run, at *core.Attempt, to *effects) error {
	_, task, _ := run.Attempt(at.ID)
	by := runfolder.SideEffect{Attempt: at.ID, Role: task.Role, Agent: at.Agent}
	if agent.Opaque(at.Agent) {
		by.At, by.Outcome, by.Reason = at.StartedAt, runfolder.OutcomeUnobserved, journal.Unobserved(at.Agent)
		to.add(viewEffect(by))
		by.At, by.Outcome, by.Reason = time.Time{}, "", ""
	}
	folder, err := a.exchange.Receive(ctx, spawn.ID{Run: run.ID, Attempt: at.ID})
	if err != nil {
		return err
	}
	entries, err := journal.ToolEntries(folder)
	if err != nil {
		return err
	}
	for _, call := range journal.CallsOf(entries, by) {
		e := viewEffect(call)
		if call.Outcome == runfolder.OutcomeUnknown {
			e.Outcome = api.EffectRunning
		}
		to.add(e)
	}
	return nil
}

func viewEffect(e runfolder.SideEffect) api.Effect {
	return api.Effect{
		Attempt: e.Attempt, Role: e.Role, Agent: e.Agent, N: e.N, Seq: e.Seq, At: e.At,
		Tool: e.Tool, Input: e.Input, Outcome: string(e.Outcome), Reason: e.Reason,
	}
}

// effects gathers what a query is about.
type effects struct {
	query   api.EffectQuery
	total   int
	attempt bool // that was asked for has records
	found   []api.Effect
	dropped int
}

func (l *effects) add(e api.Effect) {
	l.total++
	if l.query.Attempt != "" && l.query.Attempt != e.Attempt {
		return
	}
	l.attempt = true
	if l.query.Tool != "" && !strings.EqualFold(l.query.Tool, e.Tool) || l.query.Outcome != "" && l.query.Outcome != e.Outcome {
		return
	}
	l.found = append(l.found, e)
	if len(l.found) >= 2*maxEffects { // many: what cannot be shown goes
		l.cut(maxEffects)
	}
}

// cut keeps the newest. Records are in the order of the attempts' ends, which is
// near enough to that of the calls to choose by.
func (l *effects) cut(keep int) {
	if n := len(l.found) - keep; n > 0 {
		l.dropped += n
		l.found = slices.Delete(l.found, 0, n)
	}
}

func (l *effects) list() api.Effects {
	slices.SortStableFunc(l.found, func(x, y api.Effect) int { return x.At.Compare(y.At) })
	keep := maxEffects
	if l.query.Limit > 0 {
		keep = min(keep, l.query.Limit)
	}
	l.cut(keep)
	return api.Effects{Effects: l.found, LeftOut: l.dropped, Total: l.total}
}
