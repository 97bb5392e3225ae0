package cockpit_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/draft"
)

// asked notes in which order a page looks at a run.
type asked struct {
	*apitest.Service
	order []string
}

func (a *asked) Run(ctx context.Context, id string) (api.RunDetail, error) {
	a.order = append(a.order, "run")
	return a.Service.Run(ctx, id)
}

func (a *asked) Mergeable(ctx context.Context, id string) (api.Mergeable, error) {
	a.order = append(a.order, "merge")
	return a.Service.Mergeable(ctx, id)
}

func (a *asked) Diff(ctx context.Context, id string, q api.DiffQuery, w io.Writer) error {
	a.order = append(a.order, "diff")
	return a.Service.Diff(ctx, id, q, w)
}

// What a decision is bound to is asked for before what is shown: where something
// changes in between, the page shows more than the decision is about, and the
// decision is refused. The other way round it would be about what nobody saw.
func TestWhatIsDecidedIsNotNewerThanWhatIsShown(t *testing.T) {
	svc := &asked{Service: reviewed(smallDiff)}
	h, err := cockpit.New(svc, cockpit.Options{Drafts: draft.Open(t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, "/runs/r1/changes", nil)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r.WithContext(api.WithCaller(r.Context(), api.Caller{Actor: core.Person("ada"), Role: api.RoleApprover})))
	if want := []string{"run", "merge", "diff"}; w.Code != http.StatusOK || !slices.Equal(svc.order, want) {
		t.Errorf("%d, looked in the order %v, not %v", w.Code, svc.order, want)
	}
}
