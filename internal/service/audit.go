package service

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/audit"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// signLook is how often an engine looks whether it is time to sign. The settings are read each time.
const signLook = time.Minute

// exportBuffer is how much of an export is sent at once.
const exportBuffer = 64 << 10

// SignHistory implements api.Audit.
func (a *Service) SignHistory(ctx context.Context) (api.SignedHistory, error) {
	settings, err := config.OfPerson(nil)
	if err != nil {
		return api.SignedHistory{}, err
	}
	if settings.Audit.Key.V == "" {
		return api.SignedHistory{}, core.Errorf(core.CodeInvalid, "no key for signing is set").
			WithHint("make one with ssh-keygen -t ed25519 -N '' -f FILE, and name it in your settings: audit.key")
	}
	return a.sign(ctx, settings)
}

func (a *Service) sign(ctx context.Context, settings *config.Settings) (api.SignedHistory, error) {
	var out api.SignedHistory
	if err := audit.Hidden(settings.Audit.Key.V, slices.Concat(settings.ReadOnly.V, sandbox.Shown())); err != nil {
		return out, err
	}
	key, err := audit.ReadKey(settings.Audit.Key.V)
	if err != nil {
		return out, err
	}
	out.Key = key.Fingerprint()
	made, err := a.signer.Sign(ctx, key)
	for _, s := range made {
		out.Made, out.Streams = out.Made+1, out.Streams+len(s.Heads)
	}
	if err != nil {
		return out, err
	}
	newest, err := a.signer.Newest(ctx)
	if newest != nil {
		out.Newest = &api.Checkpoint{Number: newest.Number, Hash: newest.Hash, At: newest.At}
	}
	return out, err
}

// KeepSigning signs as often as the person's settings say. The first look comes at once, because an
// engine may run only for a command.
func (a *Service) KeepSigning(ctx context.Context) {
	look := time.NewTicker(signLook)
	defer look.Stop()
	for said := ""; ; {
		err := a.signIfDue(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			said = ""
		case err.Error() != said:
			said = err.Error()
			a.log.Error("the history could not be signed", "error", err, "advice", wording.Hint(err))
		}
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}

func (a *Service) signIfDue(ctx context.Context) error {
	settings, err := config.OfPerson(nil)
	if err != nil || settings.Audit.Key.V == "" || settings.Audit.Every.V == 0 {
		return err
	}
	due, err := a.signer.Due(ctx, settings.Audit.Every.V)
	if err != nil || !due {
		return err
	}
	out, err := a.sign(ctx, settings)
	if err == nil && out.Made > 0 {
		a.log.Info("the history was signed", "checkpoint", out.Newest.Number, "hash", out.Newest.Hash, "key", out.Key)
	}
	return err
}

// ExportHistory implements api.Audit.
func (a *Service) ExportHistory(ctx context.Context, q api.HistoryQuery, w io.Writer) error {
	query, err := a.historyQuery(ctx, q)
	if err != nil {
		return err
	}
	lines := bufio.NewWriterSize(w, exportBuffer)
	encoder := json.NewEncoder(lines)
	err = audit.Exporter{Store: a.store, Place: a.placed}.Export(ctx, query, func(r audit.Record) error { return encoder.Encode(r) })
	if err != nil {
		return err
	}
	return lines.Flush()
}

// placed says whose stream it is. An export asks run by run, because all rows may not fit into memory.
func (a *Service) placed(ctx context.Context, stream string) (audit.Place, error) {
	kind, id := core.StreamKind(stream)
	if kind == "project" {
		return audit.Place{Project: id}, nil
	}
	row, err := a.store.Run(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && core.RunStream(row.ID) != stream { // a stream without a row
		return audit.Place{}, nil
	}
	return audit.Place{Project: row.Project, Run: row.ID, Alias: row.Alias}, err
}

// historyQuery finds what is meant.
func (a *Service) historyQuery(ctx context.Context, q api.HistoryQuery) (audit.Query, error) {
	query := audit.Query{Signed: q.Signed}
	var err error
	if q.Since != "" {
		if query.Checkpoint, err = strconv.ParseInt(q.Since, 10, 64); err != nil || query.Checkpoint < 1 {
			query.Checkpoint = 0
			if query.Since, err = moment(q.Since); err != nil {
				return query, err
			}
		}
	}
	if q.Run != "" {
		row, err := a.find.Row(ctx, q.Run)
		if err != nil {
			return query, err
		}
		query.Streams = map[string]bool{core.RunStream(row.ID): true}
	}
	if q.Project != "" {
		row, err := a.find.ProjectRow(ctx, q.Project)
		if err != nil {
			return query, err
		}
		runs, err := a.store.Runs(ctx, store.Filter{Project: row.ID})
		if err != nil {
			return query, err
		}
		streams := map[string]bool{core.ProjectStream(row.ID): true}
		for _, r := range runs {
			streams[core.RunStream(r.ID)] = true
		}
		if q.Run != "" {
			return query, core.Errorf(core.CodeInvalid, "a run and a project cannot be exported together").WithHint("name one of them")
		}
		query.Streams = streams
	}
	return query, nil
}

// moment reads a time, or the beginning of a day, UTC.
func moment(text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, core.Errorf(core.CodeInvalid, "%.80q is neither the number of a checkpoint nor a time", text).
		WithHint("write 42, 2026-03-01 or 2026-03-01T14:00:00Z")
}
