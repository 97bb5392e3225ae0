package cockpit_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

// asked notes in which order a page looks at a run.
type asked struct {
	*apitest.Service
	order  []string
	merged bool // somebody merges between the looks
}

func (a *asked) Run(ctx context.Context, id string) (api.RunDetail, error) {
	a.order = append(a.order, "run")
	return a.Service.Run(ctx, id)
}

func (a *asked) Mergeable(ctx context.Context, id string) (api.Mergeable, error) {
	a.order = append(a.order, "merge")
	if a.merged {
		return api.Mergeable{}, core.Errorf(core.CodeConflict, "nothing waits to be merged")
	}
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
	w := svc.changes(t)
	if want := []string{"run", "merge", "diff"}; w.Code != http.StatusOK || !slices.Equal(svc.order, want) {
		t.Errorf("%d, looked in the order %v, not %v", w.Code, svc.order, want)
	}
}

// TestMergedMeanwhile: a page that is looked at while somebody merges is no error; it
// offers nothing to merge any more.
func TestMergedMeanwhile(t *testing.T) {
	w := (&asked{Service: reviewed(smallDiff), merged: true}).changes(t)
	if w.Code != http.StatusOK || strings.Contains(w.Body.String(), "Merge into") {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
}

// changes is the page of the changes as an approver gets it.
func (a *asked) changes(t *testing.T) *httptest.ResponseRecorder {
	t.Helper()
	h, err := cockpit.New(a, cockpit.Options{Documents: sqlitetest.New(t)})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, "/runs/r1/changes", nil)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r.WithContext(api.WithCaller(r.Context(), api.Caller{Actor: core.Person("ada"), Role: api.RoleApprover})))
	return w
}
