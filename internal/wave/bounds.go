package wave

import (
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Bounds of a document as a whole. Beyond them it is refused unread.
const (
	MaxBytes = 1 << 20
	MaxDepth = 16 // objects and lists within each other
)

// Bounds of texts, in characters. A prose text that is longer is cut at a word, with a note; a name, an id, a criterion or
// a command that is longer is refused, because it would be another one. The schemas have the same figures.
const (
	MaxCompact   = 4000
	MaxDetailed  = 60000
	MaxTask      = 8000
	MaxReason    = 2000 // of a decision, a resolution or a dropped delegation
	MaxContent   = 2000 // of a fact, an assumption or a resolution
	MaxAnswer    = 2000
	MaxQuestion  = 1000 // and its default
	MaxCriterion = 500
	MaxCheck     = 4000
	MaxName      = 200 // of a role, an input, an output, a capability, a key or a source; of a question or a conflict, its id
)

// Bounds of lists, in entries. A longer one is refused: nothing is dropped in silence.
const (
	MaxDelegations = 1000             // of a decision; also dependencies of one, and dropped ones
	MaxCriteria    = core.MaxCriteria // of a delegation
	MaxQuestions   = 10               // in each list of questions
	MaxFacts       = 200              // in each list of facts, assumptions, answers or resolutions
	MaxNames       = 200              // in each list of names
)

// MaxAfter is how long a question can wait for its default at most.
const MaxAfter = 30 * 24 * time.Hour

// maxProblems bounds the mistakes that are told one by one. The others are counted.
const maxProblems = 100
