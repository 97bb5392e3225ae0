package service

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/runfolder"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
)

// Bounds of a piece of a transcript.
const (
	maxSpoken     = 1000     // records
	maxSpokenText = 64 << 10 // bytes of one's text, and of its input
)

// Transcript implements api.Service. The folder of an attempt is removed at some
// time; the run's own has the same bytes, so that places stay what they are.
func (a *Service) Transcript(ctx context.Context, id, attempt string, q api.TranscriptQuery) (api.Transcript, error) {
	run, err := a.find.Run(ctx, id)
	if err != nil {
		return api.Transcript{}, err
	}
	if strings.ContainsAny(attempt, "/\\") || strings.HasPrefix(attempt, ".") || attempt == "" {
		return api.Transcript{}, noAttempt(run, attempt)
	}
	read := shim.PageBefore
	if q.Forward {
		read = shim.PageAfter
	}
	most := q.Limit
	if most <= 0 || most > maxSpoken {
		most = maxSpoken
	}
	folder, err := a.exchange.Receive(ctx, spawn.ID{Run: run.ID, Attempt: attempt})
	if err != nil {
		return api.Transcript{}, err
	}
	_, exitErr := shim.ReadExit(folder) // before the transcript: what it wrote last is then there
	over := exitErr == nil
	page, err := read(shim.JournalPath(folder), q.At, most)
	if errors.Is(err, os.ErrNotExist) {
		kept, failure := a.keptTranscript(ctx, run.ID, attempt)
		if failure != nil {
			return api.Transcript{}, failure
		}
		page, err = read(kept, q.At, most)
		over = err == nil
	}
	if errors.Is(err, os.ErrNotExist) {
		return a.unspoken(run, attempt)
	}
	if errors.Is(err, shim.ErrPlace) {
		return api.Transcript{}, core.Errorf(core.CodeInvalid, "no record of %s begins at %d", attempt, q.At).WithHint("begin at the newest")
	}
	if err != nil {
		return api.Transcript{}, err
	}
	piece := api.Transcript{Attempt: attempt, Begin: page.Begin, End: page.End}
	if q.Forward {
		piece.Done = over && len(page.Entries) == 0
	} else {
		piece.Done = over && q.At == 0
	}
	for _, e := range page.Entries {
		piece.Records = append(piece.Records, spoken(e))
	}
	return piece, nil
}

// keptTranscript is where the run's own folder has an attempt's transcript once it
// has ended. A folder that was lost is written anew.
func (a *Service) keptTranscript(ctx context.Context, run, attempt string) (string, error) {
	return filepath.Join(a.journal.Dir(run), runfolder.TranscriptsDir, attempt+".jsonl"), a.engine.WriteUp(ctx, run)
}

// unspoken is the transcript of an attempt that has none: it has not begun to
// speak, or never did.
func (a *Service) unspoken(run *core.Run, attempt string) (api.Transcript, error) {
	_, _, at := run.Attempt(attempt)
	if at == nil {
		return api.Transcript{}, noAttempt(run, attempt)
	}
	return api.Transcript{Attempt: attempt, Done: !at.Status.Active()}, nil
}

func spoken(e shim.Entry) api.Utterance {
	r := api.Utterance{
		N: e.N, At: e.At, Kind: string(e.Record.Kind), Text: cmp.Or(e.Record.Text, e.Record.Connection.String()), Tool: e.Record.Tool, Input: e.Record.Input,
		Failed: e.Record.Error, Denied: e.Record.Denied,
	}
	if n := len(r.Text); n > maxSpokenText {
		r.Text = strings.ToValidUTF8(r.Text[:maxSpokenText], "") // without half a character at its end
		r.Cut = n - len(r.Text)
	}
	if n := len(r.Input); n > maxSpokenText {
		r.Input, r.Cut = nil, r.Cut+n
	}
	return r
}
