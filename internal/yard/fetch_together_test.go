package yard

import (
	"fmt"
	"sync"
	"testing"
)

// TestFetchesOfOneYardDoNotHinderOneAnother: a run's pull request is watched while the next run starts, and both fetch the
// same branches, which have moved.
func TestFetchesOfOneYardDoNotHinderOneAnother(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for round := range 3 {
		sh(t, f.person, fmt.Sprintf(`git commit -q --allow-empty -m %d && for i in $(seq 20); do git branch -f "moved/$i"; git branch "new/%d/$i"; done`, round, round))
		var fetches sync.WaitGroup
		for range 6 {
			fetches.Go(func() {
				if err := f.yard.Fetch(ctx(t), f.person); err != nil {
					t.Error(err)
				}
			})
		}
		fetches.Wait()
	}
}
