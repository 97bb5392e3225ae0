package runfolder

import (
	"fmt"
	"sort"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Relation says how a run folder and the database stand to one another.
type Relation int

const (
	Same           Relation = iota // nothing to do
	FolderLonger                   // the tail is to be imported
	DatabaseLonger                 // the missing lines are to be appended
	Forked                         // two histories: a person must choose
)

func (r Relation) String() string {
	return [...]string{"same", "folder longer", "database longer", "forked"}[r]
}

// Comparison is the outcome of Compare.
type Comparison struct {
	Relation Relation
	Tail     []core.Event // FolderLonger: the events that the database lacks
	Seq      int64        // Forked: the first event that differs
}

// Compare compares a manifest with the database's history of the same stream.
// hashAt is the hash of the database's event at a sequence number up to
// db.Seq. Each hash covers all events before it, so few are asked for.
func Compare(db core.Head, hashAt func(seq int64) (string, error), m Manifest) (Comparison, error) {
	common := min(db.Seq, m.Head.Seq)
	differs := func(seq int64) (bool, error) {
		mine, err := m.Events[seq-1].Hash()
		if err != nil {
			return false, err
		}
		theirs, err := hashAt(seq)
		if err != nil {
			return false, fmt.Errorf("hash of event %d: %w", seq, err)
		}
		return mine != theirs, nil
	}
	if common > 0 {
		fork, err := differs(common)
		if err != nil {
			return Comparison{}, err
		}
		if fork {
			seq, err := firstDiffering(common, differs)
			return Comparison{Relation: Forked, Seq: seq}, err
		}
	}
	switch {
	case m.Head.Seq > common:
		return Comparison{Relation: FolderLonger, Tail: m.Events[common:]}, nil
	case db.Seq > common:
		return Comparison{Relation: DatabaseLonger}, nil
	}
	return Comparison{Relation: Same}, nil
}

func firstDiffering(last int64, differs func(int64) (bool, error)) (int64, error) {
	var failed error
	n := sort.Search(int(last)-1, func(i int) bool {
		d, err := differs(int64(i) + 1)
		if err != nil {
			failed = err
		}
		return d
	})
	return int64(n) + 1, failed
}
