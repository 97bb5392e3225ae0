package cockpit

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/draft"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Bounds of what a person writes before they send it.
const (
	maxQuote = 300
	maxHash  = 64       // of a commit, in digits
	maxWords = 48 << 10 // of a change request
)

// reviewForm is what a person can say to the changes that are shown.
type reviewForm struct {
	Can     bool // say anything at all
	Run     string
	Subject core.Subject
	Drafts  []remark
	Way     wayBack
	Against bool // who reviewed it asks for something else
	shown   map[string]bool
}

// take returns the comment on a place, the first time it is asked.
func (f *reviewForm) take(key string) (remark, bool) {
	i := slices.IndexFunc(f.Drafts, func(d remark) bool { return d.Key == key })
	if i < 0 || f.shown[key] {
		return remark{}, false
	}
	f.shown[key] = true
	return f.Drafts[i], true
}

// reviewOf is what the caller can say about a run's changes. A run in waves takes no
// feedback; others take it while they wait.
func (c *cockpit) reviewOf(r *http.Request, d api.RunDetail) (reviewForm, error) {
	f := reviewForm{Run: d.Alias, Subject: shownIn(d), shown: map[string]bool{}}
	waits := d.Gate != nil || d.Status == core.StatusReview
	f.Can = waits && d.Waves == nil && api.CallerFrom(r.Context()).May(api.RoleApprover)
	f.Way, f.Against = backFrom(d), against(d)
	list, err := c.drafts.Of(r.Context(), d.ID, reviewer(r))
	f.Drafts = remarks(list, f.Subject.Commit)
	return f, err
}

// shownIn is what feedback on the run's changes is bound to.
func shownIn(d api.RunDetail) core.Subject {
	if d.Gate != nil {
		return d.Gate.Subject
	}
	return core.Subject{Commit: d.Head}
}

// reviewer is the name of the caller, whose comments are meant.
func reviewer(r *http.Request) string { return api.CallerFrom(r.Context()).Actor.ID }

// comment keeps a comment on a line.
func (c *cockpit) comment(r *http.Request) (string, error) {
	d, err := c.svc.Run(r.Context(), r.PathValue("run"))
	if err != nil {
		return "", err
	}
	review, err := c.reviewOf(r, d)
	if err != nil {
		return "", err
	}
	if !review.Can {
		return "", core.Errorf(core.CodeConflict, "you cannot comment on run %s now", d.Alias).WithHint("you can when it is waiting for you")
	}
	form := r.PostForm
	line, err := strconv.Atoi(form.Get("line"))
	if err != nil || form.Get("key") == "" {
		return "", core.Errorf(core.CodeInvalid, "no line chosen").WithHint("go back to the changes and choose one there")
	}
	commit := form.Get("commit")
	if _, err := hex.DecodeString(commit); err != nil || len(commit) > maxHash {
		return "", core.Errorf(core.CodeInvalid, "no commit chosen").WithHint("go back to the changes and choose a line there")
	}
	err = c.drafts.Put(r.Context(), d.ID, reviewer(r), draft.Comment{
		Key: clip(80, form.Get("key")), Path: clip(1000, form.Get("path")), Line: line, Gone: form.Has("gone"),
		Quote: clip(maxQuote, form.Get("quote")), Text: clip(20_000, strings.TrimSpace(form.Get("text"))), Commit: commit,
	})
	return runPath(d.Alias) + "/changes", err
}

// sendReview makes all comments one change request, about what was shown.
func (c *cockpit) sendReview(r *http.Request) (string, error) {
	d, err := c.svc.Run(r.Context(), r.PathValue("run"))
	if err != nil {
		return "", err
	}
	subject, err := shownSubject(r)
	if err != nil {
		return "", err
	}
	drafts, err := c.drafts.Of(r.Context(), d.ID, reviewer(r))
	if err != nil {
		return "", err
	}
	words, err := requested(r.PostForm.Get("text"), drafts, *subject)
	if err != nil {
		return "", err
	}
	if words == "" && !against(d) { // the findings of a review are words of their own
		return "", core.Errorf(core.CodeInvalid, "nothing was written").WithHint("comment on a line, or say in a sentence what should change")
	}
	run, err := c.sendBack(r, d.ID, api.Rollback{Subject: subject, To: r.PostForm.Get("to"), Text: words})
	if err != nil {
		return "", err
	}
	return runPath(run.Alias), c.drafts.Clear(r.Context(), d.ID, reviewer(r), drafts)
}

// requested is the text of a change request: words on the whole, and each comment with
// its place and the line it is about.
func requested(whole string, drafts []draft.Comment, shown core.Subject) (string, error) {
	parts := []string{}
	if whole = strings.TrimSpace(whole); whole != "" {
		parts = append(parts, whole)
	}
	for _, n := range drafts {
		if n.Commit != shown.Commit {
			return "", core.Errorf(core.CodeConflict, "the comment on %s is about commit %s, and %s is shown now", n.Place(), wording.Short(n.Commit), wording.Short(shown.Commit)).
				WithHint("look again: edit the comment if it still applies, or remove it")
		}
		parts = append(parts, fmt.Sprintf("%s\n> %s\n%s", n.Place(), strings.TrimSpace(n.Quote), n.Text))
	}
	words := strings.Join(parts, "\n\n")
	if len(words) > maxWords {
		return "", core.Errorf(core.CodeInvalid, "the comments are %d kB long; the limit is %d kB", len(words)>>10, maxWords>>10).WithHint("shorten them, or send them in two parts")
	}
	return words, nil
}

// remark is an unsent comment on a line.
type remark struct {
	draft.Comment
	Old bool // another commit is shown now
}

// remarks are somebody's unsent comments, beside the commit that is shown.
func remarks(list []draft.Comment, commit string) []remark {
	var all []remark
	for _, d := range list {
		all = append(all, remark{d, d.Commit != commit})
	}
	return all
}
