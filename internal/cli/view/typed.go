package view

import "strings"

// typed adds v.Flags to the commands in advice, so that a copied command reaches the
// same engine.
func (v View) typed(advice string) string {
	if v.Flags == "" {
		return advice
	}
	return strings.ReplaceAll(advice, "`stellwerk ", "`stellwerk "+v.Flags+" ")
}
