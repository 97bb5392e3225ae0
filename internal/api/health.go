package api

import (
	"context"
)

// Health is how the engine and its machine stand.
type Health interface {
	// Examine looks at what runs need, as far as the engine can see it.
	Examine(ctx context.Context) ([]Examined, error)
}

// How serious it is what was found.
const (
	GradeOK   = "ok"
	GradeWarn = "warn"
	GradeFail = "fail"
)

// Examined is what one examination found.
type Examined struct {
	What   string `json:"what"`
	Grade  string `json:"grade" doc:"ok, warn or fail"`
	Found  string `json:"found"`
	Advice string `json:"advice,omitempty"`
}

// ExaminedList is what was found.
type ExaminedList struct {
	Findings []Examined `json:"findings"`
}
