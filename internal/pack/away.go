package pack

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Away says that a yard lacks commits which only repositories have, and that these do not give them.
type Away struct {
	repositories map[string]refusal // by where they are
}

// refusal is how a repository answered and when, and as what it was seen before it was asked.
type refusal struct {
	seen, asked time.Time
	why         error
}

// usable reports that a yard can be used after an error, or without one.
func usable(err error) bool {
	_, away := errors.AsType[*Away](err)
	return err == nil || away
}

// askAgain is how long a repository is not asked that gave nothing, unless it is seen to have come back: it may be far away and
// take its time to say so.
const askAgain = 10 * time.Second

// look is when the folder of a repository on this machine last changed; zero if it is not there. What changes below it, such as
// by a fetch, is not seen.
func look(at string) time.Time {
	info, err := os.Stat(at)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// askable reports that one of the repositories is not what it was, or was not asked for a while.
func (a *Away) askable(pause time.Duration) bool {
	for at, r := range a.repositories {
		if filepath.IsAbs(at) && !look(at).Equal(r.seen) || time.Since(r.asked) >= pause {
			return true
		}
	}
	return false
}

func (a *Away) Error() string {
	var texts []string
	for _, at := range slices.Sorted(maps.Keys(a.repositories)) {
		name, why := strings.TrimSuffix(at, "/.git"), a.repositories[at].why
		if errors.Is(why, yard.ErrUnreachable) {
			texts = append(texts, fmt.Sprintf("the repository %s cannot be reached; put it back, then go on", name))
		} else {
			texts = append(texts, fmt.Sprintf("the repository %s does not give the commits that runs began at; see that it has them, then go on: %v", name, why))
		}
	}
	return strings.Join(texts, "; ")
}
