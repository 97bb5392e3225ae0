package webhook

import (
	"slices"
	"testing"
)

func TestTheHeaviestSendersOldestMakesRoom(t *testing.T) {
	c := crowd{most: 4}
	var stopped []string
	enter := func(from, name string) *sending {
		return c.enter(from, func() { stopped = append(stopped, name) })
	}
	forge := enter("forge", "forge")
	enter("stranger", "first")
	second := enter("stranger", "second")
	enter("other", "other")
	enter("stranger", "third") // the stranger has most, and its first goes
	if c.leave(second) {
		t.Error("the second was stopped")
	}
	enter("late", "late")
	enter("later", "later") // all have one: the oldest of all goes
	if want := []string{"first", "forge"}; !slices.Equal(stopped, want) {
		t.Errorf("stopped %v, want %v", stopped, want)
	}
	if !c.leave(forge) {
		t.Error("who was stopped is not told")
	}
}
