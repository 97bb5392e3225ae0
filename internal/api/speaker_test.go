package api

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestNobodySpeaksForAnotherSession: where it can be seen in which session somebody
// was started, that is the one they speak for.
func TestNobodySpeaksForAnotherSession(t *testing.T) {
	const mine, outer, other = "0b5c2a8e-52ab-4f7e-9a4c-6a1d3c5e7f90", "1b5c2a8e-52ab-4f7e-9a4c-6a1d3c5e7f91", "2b5c2a8e-52ab-4f7e-9a4c-6a1d3c5e7f92"
	for name, c := range map[string]struct {
		inside, named []string
		want          string // "" where it is refused
	}{
		"from anywhere":           {nil, []string{other}, other},
		"its own":                 {[]string{mine}, []string{mine}, mine},
		"one around it":           {[]string{mine, outer}, []string{outer}, outer},
		"another":                 {[]string{mine}, []string{other}, mine},
		"another, from two":       {[]string{mine, outer}, []string{other}, mine},
		"two at once":             {nil, []string{mine, other}, ""},
		"none":                    {nil, []string{""}, ""},
		"what is no session's id": {nil, []string{"../../etc"}, ""},
	} {
		got, ok := Caller{Actor: core.Person("ada"), Role: RoleApprover, Inside: c.inside}.inSession(c.named)
		if ok != (c.want != "") || ok && (got.Actor != core.Actor{Kind: core.ActorSession, ID: c.want} || got.Role != RoleApprover) {
			t.Errorf("%s: %+v, %v", name, got, ok)
		}
	}
}
