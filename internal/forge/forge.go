// Package forge is the contract of places where pull requests live; its forms
// are in subpackages. A forge opens and describes. It must not push, merge or
// touch a repository: the engine does that.
package forge

import "context"

// Forge opens pull requests. Open is idempotent by the request's Run: asked
// again for the same run it returns the same pull request, updated.
type Forge interface {
	Open(ctx context.Context, req PullRequest) (url string, number int, err error)
}

// PullRequest is what a forge is asked to open.
type PullRequest struct {
	Run, Project, Title, Body string
	Remote, Head, Base        string
	Commit                    string
	Diff                      func(ctx context.Context) (string, error)
}
