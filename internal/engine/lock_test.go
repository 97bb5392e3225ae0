package engine

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestLock: one has it at a time, first come, first served, and time passes for who waits.
func TestLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l lock
		var order []int
		l.Lock()
		if l.TryLock() {
			t.Error("two have the lock")
		}
		for n := range 3 {
			go func() {
				l.Lock()
				defer l.Unlock()
				time.Sleep(time.Second)
				order = append(order, n)
			}()
			synctest.Wait()
		}
		time.Sleep(time.Hour)
		l.Unlock()
		time.Sleep(4 * time.Second)
		if !l.TryLock() {
			t.Fatal("nobody has the lock, and it cannot be taken")
		}
		if !slices.Equal(order, []int{0, 1, 2}) {
			t.Errorf("the lock was given to %v", order)
		}
	})
}
