package forge

import "time"

// Seen is the state of a pull request.
type Seen struct {
	State   State
	URL     string
	Head    string // commit that CI judges
	Merge   string // commit that brought it into its base, once merged
	CI      CI
	Preview string   // link to a deployment of Head, if the forge reports one
	Notes   []Note   // not handed out before, oldest first
	More    bool     // further notes wait for the next look
	Cursor  string   // for the next look
	Unread  []string // what the forge did not let this token read
}

// State says whether a pull request was decided on.
type State string

const (
	Open   State = "open"
	Merged State = "merged"
	Closed State = "closed" // without being merged
)

// CI sums up what the forge's own checks say about a commit. It is empty if there
// are none, or if too few of them could be read.
type CI string

const (
	CIUnknown CI = ""
	CIPending CI = "pending"
	CIPassed  CI = "passed"
	CIFailed  CI = "failed"
)

// Combine sums checks up: one that failed decides, then one that is still
// pending.
func Combine(checks []CI) CI {
	together := CIUnknown
	for _, c := range checks {
		switch {
		case c == CIFailed || together == CIFailed:
			together = CIFailed
		case c == CIPending || together == CIPending:
			together = CIPending
		case c == CIPassed:
			together = CIPassed
		}
	}
	return together
}

// NoteKind says what a note is.
type NoteKind string

const (
	NoteChanges  NoteKind = "changes"  // a review that requests changes
	NoteApproval NoteKind = "approval" // a review that approves
	NoteComment  NoteKind = "comment"  // on the whole, without a verdict
	NoteLine     NoteKind = "line"     // on a place in the diff
)

// Note is what somebody wrote on a pull request. Anybody who may comment on the
// repository is somebody: Member tells the repository's own people apart.
type Note struct {
	ID     string    `json:"id"` // stable, and unique among the notes of a pull request
	Kind   NoteKind  `json:"kind"`
	Author string    `json:"author"`
	Member bool      `json:"member"` // the forge counts the author among the repository's own people
	Body   string    `json:"body"`   // at most MaxBody bytes
	File   string    `json:"file,omitempty"`
	Line   int       `json:"line,omitempty"`   // 0 if the note is on the whole file
	Review string    `json:"review,omitempty"` // ID of the review that a line's note belongs to
	URL    string    `json:"url,omitempty"`
	At     time.Time `json:"at"`
}
