package dispatch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/check/plain"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
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
		before := pr
		err := d.look(ctx, run, &pr)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			wait, err = d.lookFailed(ctx, run, wait, err)
			if err != nil {
				return err
			}
		case pr.State != core.PullRequestOpen:
			return nil
		case pr != before:
			wait = d.Poll
		default:
			wait = min(max(wait, d.Poll)*5/4, max(restful, d.Poll))
		}
		wait += rand.N(wait/10 + 1) //nolint:gosec // so that pull requests are not all looked at in one moment
	}
}

// lookFailed says when to look again. What does not pass by itself is told to a
// person, who can resume once it is mended; meanwhile it is looked on.
func (d *Dispatcher) lookFailed(ctx context.Context, run *core.Run, wait time.Duration, cause error) (time.Duration, error) {
	wait = min(2*max(wait, d.Poll), max(broken, d.Poll))
	after, passes := transient(run, cause)
	d.Log.Warn("a pull request cannot be looked at", "run", run.Alias, "error", d.redactor(run).String(cause.Error()))
	if passes {
		if errors.Is(cause, forge.ErrRateLimited) {
			d.posts.hush(run, after)
		}
		return max(wait, after), nil
	}
	return wait, d.report(ctx, run, core.RunPaused{
		Code: core.PausePublish, Stage: core.PublishStage, Reason: "the pull request cannot be looked at: " + d.trouble(run, cause),
		Next: "put it right, then `stellwerk resume " + run.Alias + "`",
	})
}

// look records how a pull request stands where that is new, and makes the
// changes that members request the run's. A request that was made of the same
// review before is not made again, so one lost between the two is not lost.
func (d *Dispatcher) look(ctx context.Context, run *core.Run, pr *core.PullRequest) error {
	seen, err := d.regard(ctx, run, pr)
	if err != nil {
		return err
	}
	for _, wish := range d.wishes(run, pr, seen.Notes) {
		if err := d.report(ctx, run, wish); err != nil {
			return err
		}
	}
	now := *pr
	now.State, now.Checks, now.Cursor = core.PullRequestState(seen.State), string(seen.CI), seen.Cursor
	now.Preview = d.link(run, seen.Preview)
	if now == *pr {
		return nil
	}
	err = d.report(ctx, run, core.PullRequestSeen{
		State: now.State, Checks: now.Checks, Preview: now.Preview, Cursor: now.Cursor, Commit: pr.Commit,
	})
	if err == nil {
		*pr = now
	}
	return err
}

// regard looks until all notes are there, so that a review comes together with
// its comments on lines.
func (d *Dispatcher) regard(ctx context.Context, run *core.Run, pr *core.PullRequest) (seen forge.Seen, err error) {
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

// wishes are the reviews that request changes, each with its comments on lines.
// Whoever is not among the repository's own people can say what they like.
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

// link keeps only what leads somewhere in a browser.
func (d *Dispatcher) link(run *core.Run, address string) string {
	if !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://") {
		return ""
	}
	return d.redactor(run).String(plain.Line(address, 1000))
}
