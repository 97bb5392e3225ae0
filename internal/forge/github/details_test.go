package github_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/forgetest"
	"github.com/stellwerk-dev/stellwerk/internal/forge/github"
	"github.com/stellwerk-dev/stellwerk/internal/forge/github/githubtest"
	"github.com/stellwerk-dev/stellwerk/internal/forge/rest"
)

// scene is a double with one pull request.
type scene struct {
	forgetest.Setup
	double *githubtest.Double
	line   *forgetest.Line
	number int
	commit string
}

func newScene(t *testing.T) *scene {
	t.Helper()
	double := githubtest.New(forgetest.NewLedger("acme", "rocket"), forgetest.Token)
	double.Runs = map[string][]githubtest.Run{}
	s := &scene{double: double, line: forgetest.NewLine(t, double)}
	s.Setup = forgetest.Setup{Forge: connect(t, s.line.URL, forge.NewSecret(forgetest.Token), time.Minute), Other: double.Ledger, Remote: remote}
	s.commit = s.Other.Push(t, "feature/x")
	var err error
	if _, s.number, err = s.Forge.Open(t.Context(), s.Request("feature/x", s.commit)); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *scene) look(t *testing.T) forge.Seen {
	t.Helper()
	seen, err := s.Forge.Look(t.Context(), s.Ref(s.number, ""))
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

func TestCheckRuns(t *testing.T) {
	s := newScene(t)
	done := func(conclusion string) githubtest.Run {
		return githubtest.Run{Name: conclusion, Status: "completed", Conclusion: conclusion}
	}
	tests := []struct {
		runs []githubtest.Run
		want forge.CI
	}{
		{[]githubtest.Run{done("success"), done("neutral"), done("skipped")}, forge.CIPassed},
		{[]githubtest.Run{done("success"), {Name: "x", Status: "in_progress"}}, forge.CIPending},
		{[]githubtest.Run{done("success"), {Name: "x", Status: "queued"}, done("failure")}, forge.CIFailed},
		{[]githubtest.Run{done("timed_out")}, forge.CIFailed},
		{[]githubtest.Run{done("cancelled")}, forge.CIFailed},
		{[]githubtest.Run{done("action_required")}, forge.CIFailed},
		{slices.Repeat([]githubtest.Run{done("success")}, 150), forge.CIPassed},
		{append(slices.Repeat([]githubtest.Run{done("success")}, 150), done("failure")), forge.CIFailed},
	}
	for _, test := range tests {
		s.double.Runs[s.commit] = test.runs
		if seen := s.look(t); seen.CI != test.want {
			t.Errorf("%d runs, the last %+v: %q, want %q", len(test.runs), test.runs[len(test.runs)-1], seen.CI, test.want)
		}
	}
	s.double.Runs[s.commit] = []githubtest.Run{done("success")}
	s.Other.Check(t, s.number, "build", forge.CIFailed, "")
	if seen := s.look(t); seen.CI != forge.CIFailed {
		t.Errorf("a status that failed beside a run that passed: %q", seen.CI)
	}
}

// TestWhatTheTokenMayNotRead is a token of the fine-grained kind.
func TestWhatTheTokenMayNotRead(t *testing.T) {
	s := newScene(t)
	s.line.Break(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, "/check-runs") || strings.HasSuffix(r.URL.Path, "/deployments") {
			forgetest.Answer(http.StatusForbidden, `{"message":"Resource not accessible by personal access token"}`)(w, r, next)
			return
		}
		next.ServeHTTP(w, r)
	})
	s.Other.Check(t, s.number, "build", forge.CIPassed, "")
	if seen := s.look(t); seen.CI != forge.CIUnknown || !slices.Equal(seen.Unread, []string{"checks", "deployments"}) {
		t.Errorf("passed as far as could be read: %q, unread %v", seen.CI, seen.Unread)
	}
	s.Other.Check(t, s.number, "build", forge.CIFailed, "")
	if seen := s.look(t); seen.CI != forge.CIFailed {
		t.Errorf("failed as far as could be read: %q", seen.CI)
	}
}

func TestDeployments(t *testing.T) {
	s := newScene(t)
	s.double.Deployments = []githubtest.Deployment{
		{Commit: s.commit, State: "success", Link: "https://one.example.test"},
		{Commit: s.commit, State: "success", Link: "https://two.example.test"},
		{Commit: s.commit, State: "failure", Link: "https://three.example.test"},
		{Commit: "another", State: "success", Link: "https://four.example.test"},
	}
	if got := s.look(t).Preview; got != "https://two.example.test" {
		t.Errorf("got %q", got)
	}
}

func TestQuota(t *testing.T) {
	s := newScene(t)
	reset := time.Now().Add(20 * time.Minute)
	s.line.Break(forgetest.Answer(http.StatusForbidden, `{"message":"API rate limit exceeded"}`,
		"X-RateLimit-Limit", "5000", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", strconv.FormatInt(reset.Unix(), 10)))
	for range 3 {
		_, err := s.Forge.Look(t.Context(), s.Ref(s.number, ""))
		after, retry := forge.Retry(err)
		if !errors.Is(err, forge.ErrRateLimited) || !retry || (after-20*time.Minute).Abs() > 5*time.Second {
			t.Errorf("%v; try again %t in %v", err, retry, after)
		}
	}
	if calls := s.line.Calls(); len(calls) != 1 {
		t.Errorf("GitHub was asked on after it said that there is no more: %v", calls)
	}
}

func TestSecondaryLimit(t *testing.T) {
	const body = `{"message":"You have exceeded a secondary rate limit","documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`
	for header, want := range map[string]time.Duration{"": time.Minute, "90": 90 * time.Second} {
		s := newScene(t)
		s.line.Break(forgetest.Answer(http.StatusForbidden, body, "Retry-After", header))
		_, err := s.Forge.Look(t.Context(), s.Ref(s.number, ""))
		if after, _ := forge.Retry(err); !errors.Is(err, forge.ErrRateLimited) || (after-want).Abs() > time.Second {
			t.Errorf("Retry-After %q: %v in %v", header, err, after)
		}
	}
}

func TestRefusalsSayWhy(t *testing.T) {
	s := newScene(t)
	_, _, err := s.Forge.Open(t.Context(), s.Request("feature/never-pushed", "c0ffee"))
	if !errors.Is(err, forge.ErrRefused) || !strings.Contains(err.Error(), "head invalid") || !strings.Contains(err.Error(), "feature/never-pushed") {
		t.Errorf("got %v", err)
	}
}

func TestMorePagesThanOne(t *testing.T) {
	s := newScene(t)
	for i := range 250 {
		s.Other.Comment(t, s.number, fmt.Sprint(i))
	}
	var got int
	for cursor, more := "", true; more; {
		seen, err := s.Forge.Look(t.Context(), s.Ref(s.number, cursor))
		if err != nil {
			t.Fatal(err)
		}
		got, cursor, more = got+len(seen.Notes), seen.Cursor, seen.More
	}
	if got != 250 {
		t.Errorf("%d comments, want 250", got)
	}
}

// TestAForksBranchIsNotOurs has a pull request of a fork's branch of the same
// name, and a GitHub that leaves the filter out.
func TestAForksBranchIsNotOurs(t *testing.T) {
	s := newScene(t)
	s.double.Do(func(b *forgetest.Books) {
		b.Create(forgetest.Pull{Title: "t", Head: "feature/y", Base: forgetest.Base, Fork: "mallory"})
	})
	s.line.Break(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		r.URL.RawQuery = "state=all"
		next.ServeHTTP(w, r)
	})
	_, number, err := s.Forge.Open(t.Context(), s.Request("feature/y", s.Other.Push(t, "feature/y")))
	if err != nil || number != 3 {
		t.Errorf("number %d, %v", number, err)
	}
}

func TestAddresses(t *testing.T) {
	for base, host := range map[string]string{
		"": "github.com", "https://api.github.com": "github.com", "https://github.com": "github.com",
		"https://api.acme.ghe.com": "acme.ghe.com", "https://git.acme.test/api/v3": "git.acme.test",
	} {
		f, err := github.New(github.Options{BaseURL: base, Token: forge.NewSecret("x")})
		if err != nil {
			t.Fatal(err)
		}
		// A host that is not the forge's is refused before anything is asked.
		if _, _, err := f.Open(t.Context(), forge.PullRequest{Remote: "https://gitlab.test/acme/rocket"}); !errors.Is(err, rest.ErrRepository) || !strings.Contains(err.Error(), strconv.Quote(host)) {
			t.Errorf("%q: %v", base, err)
		}
	}
	if _, err := github.New(github.Options{Token: forge.NewSecret("x"), Repository: "rocket"}); err == nil {
		t.Error("a repository without an owner is taken")
	}
	if _, err := github.New(github.Options{}); !errors.Is(err, forge.ErrNoToken) {
		t.Errorf("without a token: %v", err)
	}
}

func TestANamedRepository(t *testing.T) {
	s := newScene(t)
	for _, base := range []string{s.line.URL, s.line.URL + "/", s.line.URL + "/api/v3", s.line.URL + "/api/v3/"} {
		f, err := github.New(github.Options{BaseURL: base, Token: forge.NewSecret(forgetest.Token), Repository: "acme/rocket"})
		if err != nil {
			t.Fatal(err)
		}
		if seen, err := f.Look(t.Context(), forge.Ref{Remote: "company-alias:rocket", Number: s.number}); err != nil || seen.Head != s.commit {
			t.Errorf("%s: %+v, %v", base, seen, err)
		}
	}
}
