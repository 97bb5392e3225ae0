package service

import (
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

func TestHowAProjectStands(t *testing.T) {
	then := time.Now()
	for _, c := range []struct {
		row  store.ProjectRow
		open []core.RunStatus
		want api.ProjectState
	}{
		{store.ProjectRow{Status: "active"}, nil, "free"},
		{store.ProjectRow{Status: "active", CurrentEpic: "cancelled"}, nil, "free"},
		{store.ProjectRow{Status: "active"}, []core.RunStatus{core.StatusAwaiting, core.StatusActive}, "running"},
		{store.ProjectRow{Status: "paused"}, []core.RunStatus{core.StatusAwaiting}, "waits"},
		{store.ProjectRow{Status: "active"}, []core.RunStatus{core.StatusPaused, core.StatusReview}, "waits"},
		{store.ProjectRow{Status: "awaiting_review"}, []core.RunStatus{core.StatusReview}, "awaiting_review"},
		{store.ProjectRow{Status: "completed"}, nil, "completed"},
		{store.ProjectRow{Status: "completed"}, []core.RunStatus{core.StatusActive}, "running"},
		{store.ProjectRow{Status: "paused", Paused: "for today"}, []core.RunStatus{core.StatusPaused}, "paused"},
		{store.ProjectRow{Status: "active", ArchivedAt: &then}, nil, "archived"},
	} {
		if got := projectState(c.row, c.open); got != c.want {
			t.Errorf("%+v with %v is %s, want %s", c.row, c.open, got, c.want)
		}
	}
}
