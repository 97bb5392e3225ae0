package wave

import (
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Bounds of a whole document, which is refused unread beyond them.
const (
	MaxBytes = 1 << 20
	MaxDepth = 16 // objects and lists within each other
)

// Bounds of texts, in characters. Longer prose is cut at a word, with a note; a longer name, id, criterion or command is
// refused, because cutting would change its meaning. The schemas have the same figures.
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

// Bounds of lists, in entries. A longer list is refused.
const (
	MaxDelegations = 1000             // of a decision; also dependencies of one, and dropped ones
	MaxCriteria    = core.MaxCriteria // of a delegation
	MaxQuestions   = 10               // in each list of questions
	MaxFacts       = 200              // in each list of facts, assumptions, answers or resolutions
	MaxNames       = 200              // in each list of names
)

// MaxAfter is the longest time a question can wait for its default.
const MaxAfter = 30 * 24 * time.Hour

// maxProblems bounds the reported mistakes. The others are counted.
const maxProblems = 100
