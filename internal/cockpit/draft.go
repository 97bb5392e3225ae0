package cockpit

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Bounds of what is held until it is sent.
const (
	maxDrafts  = 100 // of one person on one run
	maxReviews = 500
)

// draft is a comment on a line that was not sent yet.
type draft struct {
	Key    string // of the place
	Path   string
	Line   int
	Gone   bool // the line is one that was taken away
	Quote  string
	Text   string
	Commit string // that it was written about
	Old    bool   // another commit is shown now
}

// Place is how a change request names the line.
func (d draft) Place() string {
	if d.Gone {
		return fmt.Sprintf("%s:%d (as it was before)", d.Path, d.Line)
	}
	return fmt.Sprintf("%s:%d", d.Path, d.Line)
}

// reviews holds comments until they are sent, for as long as the engine runs.
type reviews struct {
	mu    sync.Mutex
	by    map[string][]draft
	order []string // of keys, the one written to last at the end
}

func (rs *reviews) of(who string) []draft {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return slices.Clone(rs.by[who])
}

// put keeps a comment; one without words is taken away.
func (rs *reviews) put(who string, d draft) error {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	list := slices.DeleteFunc(rs.by[who], func(have draft) bool { return have.Key == d.Key })
	if d.Text != "" {
		if len(list) >= maxDrafts {
			return core.Errorf(core.CodeInvalid, "there are %d comments already", maxDrafts).WithHint("send them, then go on")
		}
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b draft) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line)) })
	rs.set(who, list)
	return nil
}

func (rs *reviews) clear(who string) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.set(who, nil)
}

// set replaces somebody's comments. Those that nobody has touched for longest
// make room where there are too many. The lock is held.
func (rs *reviews) set(who string, list []draft) {
	rs.order = slices.DeleteFunc(rs.order, func(w string) bool { return w == who })
	if delete(rs.by, who); len(list) == 0 {
		return
	}
	if rs.by == nil {
		rs.by = map[string][]draft{}
	}
	rs.by[who], rs.order = list, append(rs.order, who)
	if len(rs.order) > maxReviews {
		delete(rs.by, rs.order[0])
		rs.order = rs.order[1:]
	}
}
