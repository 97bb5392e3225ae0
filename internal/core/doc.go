// Package core is the vocabulary and the law of Stellwerk: what exists, what
// can happen, what follows from it and what must never happen.
//
// Everything here is a pure function of events. The package has no clock, no
// randomness, no I/O and no dependence on map order; time and identities
// arrive inside events. It imports the standard library only, and nothing of
// Stellwerk. A reader starts with event.go (what happened) and action.go (what
// is to be done), then fold.go, law.go and effects.go.
package core
