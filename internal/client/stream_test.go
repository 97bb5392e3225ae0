package client_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// line is an event of a run as a stream has it.
func line(t *testing.T, seq int64, timer string) string {
	t.Helper()
	e, _, err := core.Seal("run/r1", core.Head{Seq: seq - 1}, time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), core.Engine(), "", core.TimerFired{Timer: timer})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := e.Line()
	if err != nil {
		t.Fatal(err)
	}
	return "data: " + string(raw) + "\n"
}

// hangUp breaks off without an answer.
const hangUp = "hang up"

// script answers one request after the other, and notes after what each was asked for.
type script struct {
	mu    sync.Mutex
	after []string
}

func (s *script) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.after
}

func (s *script) replies(t *testing.T, answers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		n := len(s.after)
		w.Header().Set("Connection", "close") // over a connection that is kept a request may be sent twice
		s.after = append(s.after, cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("since")))
		switch {
		case n >= len(answers):
			t.Errorf("it was asked %d times", n+1)
			w.WriteHeader(http.StatusNotFound)
		case answers[n] == hangUp:
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_ = conn.Close()
		case strings.HasPrefix(answers[n], "{"):
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, answers[n])
		default:
			_, _ = io.WriteString(w, answers[n])
		}
	}
}

// TestWhatAStreamSays: who follows hears every event once, of nothing else, and how it ended. What broke off is taken up
// after the last event that was heard, as long as an engine answers.
func TestWhatAStreamSays(t *testing.T) {
	const end = "event: end\ndata: {}\n\n"
	one, two := "event: event\n"+line(t, 12, "one")+"\n", "event: event\n"+line(t, 13, strings.Repeat("two", 3000))+"\n"
	for name, c := range map[string]struct {
		answers []string
		heard   []int64
		after   []string
		code    core.Code
	}{
		"an end":                   {[]string{end}, nil, []string{""}, ""},
		"events":                   {[]string{one + two + end + one}, []int64{12, 13}, []string{""}, ""},
		"nothing at all":           {[]string{": still here\n\n\n" + one + end}, []int64{12}, []string{""}, ""},
		"lines that end otherwise": {[]string{strings.ReplaceAll(one+end, "\n", "\r\n")}, []int64{12}, []string{""}, ""},
		"an event of another kind": {[]string{"event: beat\ndata: []\n\n" + one + end}, []int64{12}, []string{""}, ""},
		"data without a name":      {[]string{one + line(t, 13, "two") + "\n" + end}, []int64{12}, []string{""}, ""},
		"a name without data":      {[]string{one + "event: event\n\n" + end}, []int64{12}, []string{""}, core.CodeInternal},
		"an event of no shape":     {[]string{"event: event\ndata: []\n\n" + end}, nil, []string{""}, core.CodeInternal},
		"a problem":                {[]string{one + "event: problem\ndata: {\"code\":\"forked\"}\n\n" + two}, []int64{12}, []string{""}, core.CodeForked},
		"a problem of no shape":    {[]string{"event: problem\ndata: []\n\n" + two}, nil, []string{""}, core.CodeInternal},
		"an event cut short":       {[]string{one + two[:40], two + end}, []int64{12, 13}, []string{"", "12"}, ""},
		"cut again and again":      {[]string{one, "", two, end}, []int64{12, 13}, []string{"", "12", "12", "13"}, ""},
		"refused when it is back":  {[]string{one, `{"code":"not_found"}`}, []int64{12}, []string{"", "12"}, core.CodeNotFound},
		"refused at once":          {[]string{`{"code":"not_found"}`}, nil, []string{""}, core.CodeNotFound},
		"nobody there":             {[]string{hangUp}, nil, []string{""}, core.CodeUnavailable},
		"nobody there any more":    {[]string{one, hangUp}, []int64{12}, []string{"", "12"}, core.CodeUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			var s script
			var heard []int64
			err := nearby(t, s.replies(t, c.answers...)).Follow(t.Context(), "r", 0, func(e core.Event) error { heard = append(heard, e.Seq); return nil })
			if code := core.CodeOf(err); (err == nil) != (c.code == "") || err != nil && code != c.code || !slices.Equal(heard, c.heard) || !slices.Equal(s.asked(), c.after) {
				t.Errorf("heard is %v, asked after %q, %v", heard, s.asked(), err)
			}
		})
	}
}

// TestAnEngineElsewhereMayBeAwayForAWhile once it was heard, and not before.
func TestAnEngineElsewhereMayBeAwayForAWhile(t *testing.T) {
	moved := func(at int) string {
		return fmt.Sprintf("event: beat\ndata: []\n\nevent: moved\ndata: {\"at\":\"%d\"}\n\n", at)
	}
	for name, c := range map[string]struct {
		answers []string
		heard   string
		after   string
		code    core.Code
	}{
		"away for a while":        {[]string{moved(4), hangUp, moved(5) + "event: end\n\n"}, "4 5", "3 4 4", ""},
		"never there":             {[]string{hangUp}, "", "3", core.CodeUnavailable},
		"refused when it is back": {[]string{moved(4), `{"code":"not_found"}`}, "4", "3 4", core.CodeNotFound},
		"a move of no kind":       {[]string{moved(4) + "event: moved\ndata: []\n\n"}, "4", "3", core.CodeInternal},
	} {
		t.Run(name, func(t *testing.T) {
			var s script
			var heard []string
			err := elsewhere(t, s.replies(t, c.answers...)).Watch(t.Context(), "3", func(m api.Moved) error { heard = append(heard, m.At); return nil })
			if (err == nil) != (c.code == "") || err != nil && core.CodeOf(err) != c.code || strings.Join(heard, " ") != c.heard || strings.Join(s.asked(), " ") != c.after {
				t.Errorf("heard is %q, asked after %q, %v", heard, s.asked(), err)
			}
			if core.CodeOf(err) == core.CodeUnavailable && !strings.HasPrefix(wording.Hint(err), "check the address of --server") {
				t.Errorf("advised is %q", wording.Hint(err))
			}
		})
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	var s script
	answer := s.replies(t, "")
	err := elsewhere(t, func(w http.ResponseWriter, r *http.Request) { cancel(enough); answer(w, r) }).Watch(ctx, "3", nil)
	if !errors.Is(err, enough) {
		t.Errorf("who gave up: %v", err)
	}
}
