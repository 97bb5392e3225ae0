package view

import "strings"

// typed is advice with the flags in its commands that lead to the engine which
// gave it, so that what is copied goes there, too.
func (v View) typed(advice string) string {
	if v.Flags == "" {
		return advice
	}
	return strings.ReplaceAll(advice, "`stellwerk ", "`stellwerk "+v.Flags+" ")
}
