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
		r := remembered[[]string]{search: func() []string {
			searches++
			return []string{"/opt/password"}
		}}
		ask := func(want int) {
			t.Helper()
			if got := r.get(); !slices.Equal(got, []string{"/opt/password"}) || searches != want {
				t.Errorf("%q after %d searches, want %d", got, searches, want)
			}
		}
		ask(1)
		time.Sleep(rememberedFor - time.Nanosecond)
		ask(1)
		time.Sleep(time.Nanosecond)
		ask(2)
		r.renew()
		ask(3)
	})
}
