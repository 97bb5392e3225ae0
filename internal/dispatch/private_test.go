package dispatch

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestOneSearchServesForAWhile starts many processes, and searches once; what was
// found is never older than that, and a search that failed is not remembered.
func TestOneSearchServesForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		searches, failing := 0, errors.New("no such device")
		var fail error
		p := privateFiles{search: func() ([]string, error) {
			searches++
			return []string{"/opt/password"}, fail
		}}
		ask := func(want int) {
			t.Helper()
			if got, err := p.list(); err != nil || !slices.Equal(got, []string{"/opt/password"}) || searches != want {
				t.Errorf("%q after %d searches, want %d: %v", got, searches, want, err)
			}
		}
		ask(1)
		time.Sleep(privateLasts - 1)
		ask(1)
		time.Sleep(1)
		ask(2)
		time.Sleep(privateLasts)
		fail = failing
		if got, err := p.list(); !errors.Is(err, failing) {
			t.Errorf("a failed search gives %q, %v", got, err)
		}
		fail = nil
		ask(4)
	})
}
