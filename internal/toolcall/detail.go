package toolcall

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/prompt"
	"github.com/stellwerk-dev/stellwerk/internal/show"
)

// maxDetail bounds the bytes of a detail that one call returns.
const maxDetail = 64 << 10

// Detail implements api.Tools.
func (a *Tools) Detail(ctx context.Context, id string, req api.FetchDetail) (api.FetchedDetail, error) {
	run, err := a.inWaves(ctx, id)
	if err != nil {
		return api.FetchedDetail{}, err
	}
	kind, called := core.Reference(strings.TrimSpace(req.Name))
	out, digest := lookUp(run, kind, called)
	if out.Title == "" {
		err := core.Errorf(core.CodeNotFound, "run %s has no detail %.100q", run.Alias, called).
			WithHint("`stellwerk tool detail --list` shows what there is")
		return out, a.refuse(ctx, run, core.ToolDetail, err)
	}
	if err := a.fetched(ctx, run, core.DetailFetched{Name: a.clean(ctx, run, plain.Clip(req.Name, maxDetailName)), From: req.From, Voice: req.Voice}); err != nil {
		return api.FetchedDetail{}, err
	}
	var text io.ReadSeeker = strings.NewReader(out.Content)
	if digest != "" {
		file, err := a.Objects.Open(ctx, digest)
		if err != nil {
			return out, err
		}
		defer func() { _ = file.Close() }() // only read from
		text = file
	}
	if err := excerpt(&out, text, req.From); err != nil {
		return out, fmt.Errorf("read %s: %w", out.Title, err)
	}
	out.Content = a.clean(ctx, run, out.Content)
	return out, nil
}

// maxDetailName bounds the recorded name of a detail.
const maxDetailName = 256

// fetched records that an agent reads something, before it is shown. It does not record a person's reading.
func (a *Tools) fetched(ctx context.Context, run *core.Run, body core.DetailFetched) error {
	if api.CallerFrom(ctx).Actor.Kind != core.ActorAgent {
		return nil
	}
	if _, err := a.Engine.Submit(ctx, run.ID, api.CallerFrom(ctx).Actor, body); err != nil {
		return a.refuse(ctx, run, core.ToolDetail, err)
	}
	return nil
}

// inWaves finds a run whose details the caller may read.
func (a *Tools) inWaves(ctx context.Context, id string) (*core.Run, error) {
	run, err := a.Find.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := under(ctx, run); err != nil {
		return nil, err
	}
	if !run.ByWaves() {
		return nil, core.Errorf(core.CodeInvalid, "run %s has no details: only runs in waves have", run.Alias).
			WithHint("its documents are in the run's folder, below artifacts/")
	}
	return run, nil
}

// lookUp finds a detail by an id, a name or a key, of one kind or of any. If its content is a document, it returns the
// digest.
func lookUp(run *core.Run, kind, called string) (api.FetchedDetail, string) {
	if kind == "" || kind == core.RefersDetail {
		if out, digest := lookUpDocument(run.Waves, called); digest != "" {
			return out, digest
		}
	}
	// An answer is a fact as well, but only this shows the question, too.
	if answer := run.Answered(called); answer != nil && kind != core.RefersFact {
		return api.FetchedDetail{ID: called, Title: "answer to " + called, Content: answer.Question.Text + "\n\n" + answer.Text + "\n"}, ""
	}
	fact := run.Waves.Fact(called)
	if at := slices.IndexFunc(run.Waves.Pool, func(f core.Fact) bool { return f.ID == called }); fact == nil && at >= 0 {
		fact = &run.Waves.Pool[at] // an id also finds a fact that is no longer valid
	}
	if fact != nil {
		return api.FetchedDetail{ID: fact.ID, Title: "fact " + fact.ID, Content: prompt.FactText(*fact)}, ""
	}
	if artifact := run.Artifact(called); artifact != nil {
		return api.FetchedDetail{Title: artifact.Name}, artifact.Digest
	}
	return api.FetchedDetail{}, ""
}

// lookUpDocument finds the documents of delegations and of closed waves.
func lookUpDocument(w *core.Waves, called string) (api.FetchedDetail, string) {
	if doc := w.Document(called); doc != nil {
		return api.FetchedDetail{ID: doc.ID, Title: doc.Title}, doc.Digest
	}
	for _, doc := range prompt.WaveDocuments(w) {
		if doc.Name == called {
			return api.FetchedDetail{Title: called}, doc.Digest
		}
	}
	return api.FetchedDetail{}, ""
}

// excerpt reads as much of a text from an offset as one call returns, in whole characters.
func excerpt(out *api.FetchedDetail, text io.ReadSeeker, from int64) error {
	size, err := text.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	out.Size, from = size, min(max(from, 0), size)
	if _, err := text.Seek(from, io.SeekStart); err != nil {
		return err
	}
	data, err := io.ReadAll(io.LimitReader(text, maxDetail))
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if rest := size - from - int64(len(data)); rest > 0 {
		for n := 1; n <= utf8.UTFMax && n < len(data); n++ { // a character may have been cut
			if cut := data[len(data)-n:]; utf8.RuneStart(cut[0]) {
				if !utf8.FullRune(cut) {
					data = data[:len(data)-n]
				}
				break
			}
		}
		out.Next = from + int64(len(data))
	}
	out.Content = strings.ToValidUTF8(string(data), "\uFFFD")
	return nil
}

// Details implements api.Tools.
func (a *Tools) Details(ctx context.Context, id string) (api.DetailIndex, error) {
	run, err := a.inWaves(ctx, id)
	if err != nil {
		return api.DetailIndex{}, err
	}
	if err := a.fetched(ctx, run, core.DetailFetched{}); err != nil {
		return api.DetailIndex{}, err
	}
	out := api.DetailIndex{Details: []api.IndexedDetail{}, Waves: []string{}, Facts: []core.Fact{}, Answers: prompt.PastAnswers(run)}
	for _, doc := range run.Waves.Documents {
		out.Details = append(out.Details, api.IndexedDetail{Detail: doc.Detail, Wave: doc.Wave})
	}
	for _, doc := range prompt.WaveDocuments(run.Waves) {
		out.Waves = append(out.Waves, doc.Name)
	}
	out.Facts = append(out.Facts, show.Holding(run.Waves)...)
	return out, nil
}
