package dispatch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

const (
	// restful bounds the time between looks at a pull request that nothing
	// happens to, and broken that after failures.
	restful = 5 * time.Minute
	broken  = 10 * time.Minute
	// maxLooks bounds how many pages of notes are read before anything is made
	// of them.
	maxLooks = 10
	// maxWish bounds what a request for changes says.
	maxWish = 64 << 10
)

// followPullRequest looks at a pull request on its forge until it is decided
// on, less and less often while nothing happens.
func (d *Dispatcher) followPullRequest(ctx context.Context, run *core.Run) error {
	o := d.posts.post(run)
	defer d.posts.leave(o)
	pr := *run.PullRequest
	for wait := lookGap; ; {
		if err := d.posts.wait(ctx, o, wait); err != nil {
			return err
		}
		seen, failed := d.look(ctx, run, &pr)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		changed := false
		var err error
		if failed != nil {
			err = d.lookFailed(ctx, run, failed)
		} else {
			changed, err = d.tellNews(ctx, run, &pr, seen)
		}
		if err != nil || pr.State != core.PullRequestOpen {
			return err
		}
		wait = d.pace(run, wait, changed, failed)
		wait += rand.N(wait/10 + 1) //nolint:gosec // so that pull requests are not all looked at in one moment
	}
}

// heardWord reports that another engine left word about a run. If that cannot be found out, it may have.
func (d *Dispatcher) heardWord(ctx context.Context, run string) bool {
	heard, err := d.Elsewhere.heard(ctx, run)
	if err != nil && ctx.Err() == nil {
		d.Log.Warn("word about a pull request cannot be read", "run", run, "error", err)
	}
	return heard || err != nil
}

// pace is how long to wait before the next look, after one that brought
// something new, nothing, or failed.
func (d *Dispatcher) pace(run *core.Run, last time.Duration, changed bool, failed error) time.Duration {
	last = max(last, d.Poll)
	switch after, _ := transient(run, failed); {
	case failed != nil:
		return max(min(2*last, max(broken, d.Poll)), after)
	case changed:
		return d.Poll
	}
	return min(last*5/4, max(restful, d.Poll))
}

// lookFailed pauses the run for a failure that does not pass by itself. The person can resume
// once it is fixed; looking goes on meanwhile.
func (d *Dispatcher) lookFailed(ctx context.Context, run *core.Run, cause error) error {
	d.Log.Warn("a pull request cannot be looked at", "run", run.Alias, "error", d.redactor(run).String(cause.Error()))
	if after, passes := transient(run, cause); passes {
		if errors.Is(cause, forge.ErrRateLimited) {
			d.posts.hush(run, after)
		}
		return nil
	}
	return d.report(ctx, run, core.RunPaused{
		Code: core.PausePublish, Stage: core.PublishStage, Reason: "the pull request cannot be looked at: " + d.trouble(run, cause),
		Advice: core.Advice{Hint: "put it right", Choices: run.Choices(core.VerbResume)},
	})
}

// tellNews records a change of the pull request, and turns reviews by members that request
// changes into requests of the run. The run takes each review once, so an engine that ends in
// between can repeat both.
func (d *Dispatcher) tellNews(ctx context.Context, run *core.Run, pr *core.PullRequest, seen forge.Seen) (changed bool, err error) {
	for _, wish := range d.wishes(run, pr, seen.Notes) {
		if err := d.report(ctx, run, wish); err != nil {
			return false, err
		}
	}
	now := *pr
	now.State, now.Checks, now.Cursor = core.PullRequestState(seen.State), string(seen.CI), seen.Cursor
	now.Preview = d.link(run, seen.Preview)
	if now == *pr {
		return false, nil
	}
	err = d.report(ctx, run, core.PullRequestSeen{
		State: now.State, Checks: now.Checks, Preview: now.Preview, Cursor: now.Cursor, Commit: pr.Commit,
	})
	if err == nil {
		*pr = now
	}
	return true, err
}

// look reads a pull request until all notes are there, so that a review comes
// together with its comments on lines.
func (d *Dispatcher) look(ctx context.Context, run *core.Run, pr *core.PullRequest) (seen forge.Seen, err error) {
	select {
	case d.posts.slots <- struct{}{}:
		defer func() { <-d.posts.slots }()
	case <-ctx.Done():
		return seen, ctx.Err()
	}
	f, err := d.Forges.Forge(run)
	if err != nil {
		return seen, err
	}
	ref := forge.Ref{Project: run.Project, Remote: run.Remote, Number: pr.Number, Cursor: pr.Cursor}
	var notes []forge.Note
	for more, n := true, 0; more && n < maxLooks; n++ {
		if seen, err = f.Look(ctx, ref); err != nil {
			return seen, err
		}
		notes, more, ref.Cursor = append(notes, seen.Notes...), seen.More, seen.Cursor
	}
	seen.Notes = notes
	return seen, nil
}

// wishes are the reviews that request changes, each with its comments on lines. Reviews by
// people who are not members of the repository do not count.
func (d *Dispatcher) wishes(run *core.Run, pr *core.PullRequest, notes []forge.Note) []core.ChangesRequested {
	var all []core.ChangesRequested
	for _, n := range notes {
		if n.Kind != forge.NoteChanges || !n.Member {
			continue
		}
		text := strings.TrimSpace(n.Body)
		for _, line := range notes {
			if line.Kind == forge.NoteLine && line.Review == n.ID && line.Member {
				text += fmt.Sprintf("\n\n%s: %s", place(line), strings.TrimSpace(line.Body))
			}
		}
		if text = strings.TrimSpace(text); text == "" {
			text = "Changes were requested without a word; see " + plain.Line(n.URL, 500)
		}
		all = append(all, core.ChangesRequested{
			ID:     fmt.Sprintf("pull-%d/%s", pr.Number, n.ID),
			Source: fmt.Sprintf("%s, reviewing pull request %d", plain.Line(n.Author, 100), pr.Number),
			Text:   d.redactor(run).String(plain.Head(text, maxWish)),
		})
	}
	return all
}

func place(n forge.Note) string {
	at := plain.Line(n.File, 500)
	if n.Line > 0 {
		at += fmt.Sprintf(":%d", n.Line)
	}
	return at
}

// maxAddress bounds an address that somebody else has written.
const maxAddress = 1000

// link keeps only what leads somewhere in a browser.
func (d *Dispatcher) link(run *core.Run, address string) string {
	if !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://") {
		return ""
	}
	return d.redactor(run).String(plain.Line(address, maxAddress))
}
