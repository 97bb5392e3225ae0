package api

import "github.com/stellwerk-dev/stellwerk/internal/core"

// RunList is the list of runs on the wire.
type RunList struct {
	Runs []Run `json:"runs"`
}

// EventList is a piece of a run's history on the wire.
type EventList struct {
	Events []core.Event `json:"events"`
}

// WaitingList is the inbox on the wire.
type WaitingList struct {
	Waiting []Waiting `json:"waiting"`
}
