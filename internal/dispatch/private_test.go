package dispatch

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestOneSearchServesForAWhile starts many processes, and searches once; what was
// found is never older than that.
func TestOneSearchServesForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		searches := 0
		p := privateFiles{search: func() []string {
			searches++
			return []string{"/opt/password"}
		}}
		ask := func(want int) {
			t.Helper()
			if got := p.list(); !slices.Equal(got, []string{"/opt/password"}) || searches != want {
				t.Errorf("%q after %d searches, want %d", got, searches, want)
			}
		}
		ask(1)
		time.Sleep(privateLasts - time.Nanosecond)
		ask(1)
		time.Sleep(time.Nanosecond)
		ask(2)
	})
}
