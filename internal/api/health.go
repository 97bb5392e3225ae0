package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
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

func registerHealth(api huma.API, svc Health) {
	register(api, operation(api, "examine", http.MethodGet, "/v1/health", "Look at what runs need on the engine's machine"),
		func(ctx context.Context, _ *struct{}) (ExaminedList, error) {
			found, err := svc.Examine(ctx)
			return ExaminedList{Findings: notNil(found)}, err
		})
}
