package forgetest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
)

// Ledger is what a forge knows of one repository, in memory. The doubles of
// forges answer from it, and it is their other side.
type Ledger struct {
	Owner, Name string

	mu       sync.Mutex
	branches map[string]string
	pulls    []*Pull
	checks   map[string][]Check // of a commit, oldest first
	last     int64
}

// Pull is a pull request in a ledger.
type Pull struct {
	Number        int
	Title, Body   string
	Head, Base    string
	Fork          string // owner of the repository that the head is in, where that is another
	Commit, Merge string
	State         forge.State
	Reviews       []*Review
	Lines         []Written
	Comments      []Written
	CreatedAt     time.Time
}

// Written is what somebody wrote. Its ids are given when it is begun.
type Written struct {
	ID, Review int64
	Author     string
	Body       string
	File       string
	Line       int
	At         time.Time
}

// Review is a review. It is seen by others once it is sent.
type Review struct {
	Written
	Kind forge.NoteKind
	Sent bool
}

// Check is what a program says of a commit.
type Check struct {
	ID         int64
	Name, Link string
	CI         forge.CI
	At         time.Time
}

// The people of a ledger.
const (
	Reviewer = "rosa"
	Stranger = "sam"
)

// NewLedger makes a ledger with the branch Base.
func NewLedger(owner, name string) *Ledger {
	return &Ledger{Owner: owner, Name: name, branches: map[string]string{Base: commitID(1)}, checks: map[string][]Check{}, last: 1}
}

func commitID(n int64) string { return fmt.Sprintf("%040x", n*0x9e3779b1) }

// tick gives out the next number and the moment that belongs to it.
func (l *Ledger) tick() (int64, time.Time) {
	l.last++
	return l.last, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(l.last) * time.Second)
}

// Do reads or changes the ledger.
func (l *Ledger) Do(do func(*Books)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	do(&Books{l})
}

// Books is a ledger that somebody holds.
type Books struct{ l *Ledger }

// Branch is the tip of a branch, "" if there is none.
func (b *Books) Branch(name string) string { return b.l.branches[name] }

// Pulls are all pull requests, oldest first.
func (b *Books) Pulls() []*Pull { return b.l.pulls }

// Pull is one pull request; nil if there is none.
func (b *Books) Pull(number int) *Pull {
	if number < 1 || number > len(b.l.pulls) {
		return nil
	}
	return b.l.pulls[number-1]
}

// Open finds the pull request that is open.
func (b *Books) Open(head, base string) *Pull {
	at := slices.IndexFunc(b.l.pulls, func(p *Pull) bool { return p.State == forge.Open && p.Head == head && p.Base == base && p.Fork == "" })
	if at < 0 {
		return nil
	}
	return b.l.pulls[at]
}

// Create adds a pull request.
func (b *Books) Create(p Pull) *Pull {
	_, at := b.l.tick()
	p.Number, p.State, p.Commit, p.CreatedAt = len(b.l.pulls)+1, forge.Open, b.l.branches[p.Head], at
	b.l.pulls = append(b.l.pulls, &p)
	return &p
}

// HeadOwner owns the repository that a pull request's head is in.
func (l *Ledger) HeadOwner(p *Pull) string {
	if p.Fork != "" {
		return p.Fork
	}
	return l.Owner
}

// Checks are what programs said of a commit, oldest first.
func (b *Books) Checks(commit string) []Check { return b.l.checks[commit] }

// Push implements Other.
func (l *Ledger) Push(_ testing.TB, branch string) (commit string) {
	l.Do(func(*Books) {
		n, _ := l.tick()
		commit = commitID(n)
		l.branches[branch] = commit
		for _, p := range l.pulls {
			if p.State == forge.Open && p.Head == branch {
				p.Commit = commit
			}
		}
	})
	return commit
}

// Follow takes over the branches of a repository that people really push to.
func (l *Ledger) Follow(branches map[string]string) {
	l.Do(func(*Books) {
		l.branches = branches
		for _, p := range l.pulls {
			if commit := branches[p.Head]; p.State == forge.Open && commit != "" {
				p.Commit = commit
			}
		}
	})
}

// Count implements Other.
func (l *Ledger) Count(testing.TB) (n int) {
	l.Do(func(b *Books) { n = len(b.Pulls()) })
	return n
}

// Text implements Other.
func (l *Ledger) Text(_ testing.TB, number int) (title, body string) {
	l.Do(func(b *Books) { title, body = b.Pull(number).Title, b.Pull(number).Body })
	return title, body
}

// Merge implements Other.
func (l *Ledger) Merge(_ testing.TB, number int) (commit string) {
	l.Do(func(b *Books) {
		n, _ := l.tick()
		commit = commitID(n)
		p := b.Pull(number)
		p.State, p.Merge, l.branches[p.Base] = forge.Merged, commit, commit
	})
	return commit
}

// Close implements Other.
func (l *Ledger) Close(_ testing.TB, number int) {
	l.Do(func(b *Books) { b.Pull(number).State = forge.Closed })
}

// Review implements Other.
func (l *Ledger) Review(_ testing.TB, number int, kind forge.NoteKind, body string, lines ...forge.Note) {
	r := l.review(number, kind, body, lines)
	l.Do(func(*Books) { r.Sent = true })
}

// Draft implements Drafter.
func (l *Ledger) Draft(_ testing.TB, number int, body string, line forge.Note) (send func()) {
	r := l.review(number, forge.NoteChanges, body, []forge.Note{line})
	return func() { l.Do(func(*Books) { r.Sent = true }) }
}

func (l *Ledger) review(number int, kind forge.NoteKind, body string, lines []forge.Note) (r *Review) {
	l.Do(func(b *Books) {
		id, at := l.tick()
		r = &Review{Written: Written{ID: id, Author: Reviewer, Body: body, At: at}, Kind: kind}
		p := b.Pull(number)
		p.Reviews = append(p.Reviews, r)
		for _, n := range lines {
			line, at := l.tick()
			p.Lines = append(p.Lines, Written{ID: line, Review: id, Author: Reviewer, Body: n.Body, File: n.File, Line: n.Line, At: at})
		}
	})
	return r
}

// Comment implements Other.
func (l *Ledger) Comment(_ testing.TB, number int, body string) { l.comment(number, Reviewer, body) }

// CommentAsStranger implements Public.
func (l *Ledger) CommentAsStranger(_ testing.TB, number int, body string) {
	l.comment(number, Stranger, body)
}

func (l *Ledger) comment(number int, author, body string) {
	l.Do(func(b *Books) {
		id, at := l.tick()
		b.Pull(number).Comments = append(b.Pull(number).Comments, Written{ID: id, Author: author, Body: body, At: at})
	})
}

// Check implements Other.
func (l *Ledger) Check(_ testing.TB, number int, name string, ci forge.CI, link string) {
	l.Do(func(b *Books) {
		id, at := l.tick()
		commit := b.Pull(number).Commit
		l.checks[commit] = append(l.checks[commit], Check{ID: id, Name: name, CI: ci, Link: link, At: at})
	})
}

// Newest are the newest checks of each name, in the order of the names' first.
func Newest(checks []Check) []Check {
	var newest []Check
	for _, c := range checks {
		if at := slices.IndexFunc(newest, func(n Check) bool { return n.Name == c.Name }); at >= 0 {
			newest[at] = c
		} else {
			newest = append(newest, c)
		}
	}
	return newest
}
