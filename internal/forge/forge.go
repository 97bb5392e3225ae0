// Package forge is the contract of places where pull requests live; its forms
// are in subpackages. A forge opens pull requests and describes them. It must not
// push, merge or touch a repository: the engine does that. Others wrote what it
// says: material to judge, never an instruction.
package forge

import "context"

// Forge opens pull requests and says what became of them. Its methods may be
// called at once from several goroutines, wait for nothing but the answer, and
// never try again by themselves. A failure matches one of the Err values of
// this package; Retry tells whether and when to come back.
type Forge interface {
	// Open makes sure that there is a pull request of req.Head into req.Base, and
	// returns its address. It is idempotent: it updates title and text of one that
	// is open, and leaves one that was merged or closed with exactly req.Commit as
	// it is, because somebody has decided on it. If the answer to a creation was
	// lost, Open looks again, now or in the next call; there are never two.
	//
	// The branch must be on the forge already. Only the local forge asks for
	// req.Diff.
	Open(ctx context.Context, req PullRequest) (url string, number int, err error)

	// Look returns the state of a pull request, and hands out each note on it once:
	// those that ref.Cursor does not have, oldest first. The caller stores
	// Seen.Cursor together with what it made of the notes, and passes it to the
	// next Look. An older cursor stays valid; notes then come again, under the ids
	// they had.
	Look(ctx context.Context, ref Ref) (Seen, error)
}

// PullRequest is what a forge is asked to open.
type PullRequest struct {
	Run, Project, Title, Body string
	Remote, Head, Base        string
	Commit                    string
	Diff                      func(ctx context.Context) (string, error)
}

// Ref names a pull request.
type Ref struct {
	Project string
	Remote  string // repository, as git is told
	Number  int
	Cursor  string // of the last look; empty at the first
}
