package api_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// TestRolesThatCanBeGiven are read by their names; the owner's is none of them.
func TestRolesThatCanBeGiven(t *testing.T) {
	t.Parallel()
	if got := api.Roles(); !slices.Equal(got, []api.Role{api.RoleViewer, api.RoleApprover, api.RoleAdmin}) {
		t.Errorf("they are %q", got)
	}
	for name, want := range map[string]api.Role{"viewer": api.RoleViewer, "approver": api.RoleApprover, "admin": api.RoleAdmin} {
		if got, err := api.ParseRole(name); got != want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"", "owner", "Admin", "admins", "view"} {
		if got, err := api.ParseRole(name); got != "" || core.CodeOf(err) != core.CodeInvalid || wording.Hint(err) != "choose viewer, approver or admin" {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
}

// TestWhatMoved is sorted by what it is of; a stream of another kind is of nobody.
func TestWhatMoved(t *testing.T) {
	t.Parallel()
	got := api.MovedFrom("7", []string{"run/a", "project/p", "run/b", "token/x", "project/q"}, true)
	if diff := cmp.Diff(api.Moved{At: "7", Runs: []string{"a", "b"}, Projects: []string{"p", "q"}, All: true}, got); diff != "" {
		t.Error(diff)
	}
}

// TestWhatWasSpent says what nobody knows.
func TestWhatWasSpent(t *testing.T) {
	t.Parallel()
	used := 2.5
	a := api.Allowance{Kind: api.LimitCost, Used: &used, Unpriced: 3}
	if diff := cmp.Diff(core.Cost{CostUSD: &used, Unpriced: 3}, a.Cost()); diff != "" || a.Amount() != used {
		t.Errorf("%v: %s", a.Amount(), diff)
	}
	if got := (api.Allowance{}).Amount(); got != 0 {
		t.Errorf("of nothing known: %v", got)
	}
	for over, unpriced := range map[bool]int{false: 0, true: 1} {
		if got := (api.AttemptSpending{Over: over}).Cost(); got.Unpriced != unpriced {
			t.Errorf("over %t: %+v", over, got)
		}
	}
	if got := (api.AttemptSpending{Over: true, Usage: core.Usage{CostUSD: 2}}).Cost(); got.Known() != 2 || got.Unpriced != 0 {
		t.Errorf("%+v", got)
	}
	for origin, builtin := range map[string]bool{"builtin": true, ".stellwerk/playbooks/builtin.yaml": false, "": false} {
		if got := (api.PlaybookEntry{Origin: origin}).Builtin(); got != builtin {
			t.Errorf("%q comes with the program: %t", origin, got)
		}
	}
}

// TestAProblemTellsOfItsError by its status, and is told on as it is.
func TestAProblemTellsOfItsError(t *testing.T) {
	t.Parallel()
	own := api.NewProblem(http.StatusTooManyRequests, "too many", "wait")
	for want, errs := range map[int][]error{
		500: {errors.New("odd"), core.Errorf(core.CodeInternal, "x"), core.Errorf("unheard of", "x")},
		429: {own, fmt.Errorf("wrapped: %w", own)},
		503: {context.Canceled, fmt.Errorf("late: %w", context.DeadlineExceeded), core.Errorf(core.CodeUnavailable, "x")},
	} {
		for _, err := range errs {
			if got := api.StatusOf(err); got != want {
				t.Errorf("%v: %d, want %d", err, got, want)
			}
		}
	}
	if diff := cmp.Diff(&api.Problem{Title: "Too Many Requests", Status: 429, Detail: "too many", Code: core.CodeInvalid, Hint: "wait"}, own); diff != "" || own.Error() != "too many" {
		t.Errorf("%q: %s", own.Error(), diff)
	}
	if err := own.Err(); core.CodeOf(err) != core.CodeInvalid || err.Error() != "too many" || wording.Hint(err) != "wait" {
		t.Errorf("as an error it is %v", err)
	}
}

// TestAnEmptyListWithinAnAnswer is a list as well.
func TestAnEmptyListWithinAnAnswer(t *testing.T) {
	svc := &apitest.Service{Outputs: map[string]api.Output{"a": {}}, Transcripts: map[string]api.Transcript{"a": {}}}
	svc.Put(api.RunDetail{Run: api.Run{ID: "r1"}})
	c, _ := engine(t, svc)
	for path, fields := range map[string]string{
		"GET /v1/runs/r1/attempts/a/output":     `"records":[]`,
		"GET /v1/runs/r1/attempts/a/transcript": `"records":[]`,
		"GET /v1/projects/p":                    `"queue":[]`,
		"GET /v1/projects/p?":                   `"by_status":{}`,
		"POST /v1/playbooks/check":              `"problems":[],"warnings":[]`,
		"POST /v1/prune":                        `"items":[],"kept":[]`,
		"POST /v1/trust":                        `"files":[]`,
	} {
		method, target, _ := strings.Cut(path, " ")
		body := ""
		switch target {
		case "/v1/playbooks/check":
			body = `{"text":"x"}`
		case "/v1/trust":
			body = `{"dir":"/d"}`
		case "/v1/prune":
			body = `{"older_than":1}`
		}
		resp, got := ask(t, c, method, target, body)
		if resp.StatusCode != http.StatusOK || !strings.Contains(got, fields) {
			t.Errorf("%s: %d %.300s", path, resp.StatusCode, got)
		}
	}
}

// TestStreamsBreakOffBeforeRequestsDo: a server that ends lets what is asked finish, and does not wait for streams.
func TestStreamsBreakOffBeforeRequestsDo(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended, asked := make(chan error, 1), make(chan error, 1)
	svc := watching{wait: func(ctx context.Context) { cancel(); <-ctx.Done() }}
	go func() {
		ended <- api.Serve(ctx, l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			api.ServeWatch(r.Context(), svc, "", w)
			asked <- r.Context().Err()
		}))
	}()
	c := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}}
	defer c.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://engine/", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if err := <-asked; err != nil {
		t.Errorf("the stream went on until its request was cut off: %v", err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := api.Serve(t.Context(), l, http.NotFoundHandler()); err == nil || !strings.HasPrefix(err.Error(), "serve ") || !errors.Is(err, net.ErrClosed) {
		t.Errorf("on a listener that is closed: %v", err)
	}
}

// watching is a service on which nothing moves.
type watching struct {
	api.Views
	wait func(ctx context.Context)
}

func (w watching) Watch(ctx context.Context, _ string, _ func(api.Moved) error) error {
	w.wait(ctx)
	return ctx.Err()
}

// deadlines is a writer that takes its time limit.
type deadlines struct{ *httptest.ResponseRecorder }

func (deadlines) SetWriteDeadline(time.Time) error { return nil }

// moves tells of one move, or fails.
type moves struct {
	api.Views
	err error
}

func (m moves) Watch(_ context.Context, since string, fn func(api.Moved) error) error {
	return errors.Join(fn(api.Moved{At: since + "1", Runs: []string{"r"}}), m.err)
}

// TestAMoveIsSentWithItsPosition, and trouble as a problem.
func TestAMoveIsSentWithItsPosition(t *testing.T) {
	t.Parallel()
	const move = "id: 41\nevent: moved\ndata: {\"at\":\"41\",\"runs\":[\"r\"]}\n\n"
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"a move":  {nil, move},
		"trouble": {core.Errorf(core.CodeForked, "two stories"), move + "event: problem\ndata: {\"title\":\"Conflict\",\"status\":409,\"detail\":\"two stories\",\"code\":\"forked\"}\n\n"},
	} {
		w := httptest.NewRecorder()
		api.ServeWatch(t.Context(), moves{err: c.err}, "4", deadlines{w})
		if got := w.Body.String(); got != c.want || w.Header().Get("Content-Type") != "text/event-stream" || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v %q", name, w.Header(), got)
		}
	}
}
