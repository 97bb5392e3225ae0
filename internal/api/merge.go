package api

import "github.com/stellwerk-dev/stellwerk/internal/core"

// PullRequest is where a run was published.
type PullRequest struct {
	Number int                   `json:"number,omitempty"`
	URL    string                `json:"url,omitempty"`
	State  core.PullRequestState `json:"state"` // open, merged or closed
	Commit string                `json:"commit"`
	// Record is the pull request itself where it is kept by Stellwerk, and nobody
	// else has a page of it.
	Record *PullRecord `json:"record,omitempty"`
}

// PullRecord is a pull request that is a record on the engine's machine.
type PullRecord struct {
	Title string `json:"title"`
	Text  string `json:"text"` // Markdown; its beginning if it is long
	Head  string `json:"head"`
	Base  string `json:"base"`
}

// Merge names what a person was shown, and must be what is there now.
type Merge struct {
	Commit string `json:"commit,omitempty" doc:"That is to be merged; required"`
	Tip    string `json:"tip,omitempty" doc:"Where the base branch was; required"`
	// FastForward grants what the person's own git does next: moving a base that is
	// checked out, with its files. Who asks does that, then asks again without it.
	FastForward bool `json:"fast_forward,omitempty" doc:"Record the word to fast-forward a base that is checked out; the caller then moves it"`
}

// Mergeable is what merging a pull request would do.
type Mergeable struct {
	Commit    string   `json:"commit" doc:"That would be merged"`
	Branch    string   `json:"branch"`
	Base      string   `json:"base" doc:"Branch that it would be merged into"`
	Tip       string   `json:"tip,omitempty" doc:"Where that branch is"`
	Ahead     int      `json:"ahead,omitempty" doc:"Commits of the base that the work was not checked with"`
	Can       bool     `json:"can"`
	Reason    string   `json:"reason,omitempty" doc:"Why it cannot be merged here"`
	Next      string   `json:"next,omitempty" doc:"What a person can do instead"`
	Command   string   `json:"command,omitempty" doc:"The line that does it in a shell of the engine's machine, in whichever folder"`
	Conflicts []string `json:"conflicts,omitempty" doc:"Paths that were changed on both sides"`
	Tree      string   `json:"tree,omitempty" doc:"Work tree in which the base is checked out, where a fast-forward would bring it to the commit"`
	Merged    bool     `json:"merged,omitempty" doc:"The base holds the work already, as this commit or another"`
}
