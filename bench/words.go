package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// words are what people say to runs that wait for them: each is paused and resumed in turns. A word is a request of its own over HTTP,
// and an event.
type words struct {
	http  *http.Client
	runs  []*spokenTo
	token map[*face]string
}

// spokenTo is a run. What is said to it waits until it has heard what was said before.
type spokenTo struct {
	id     string
	mu     sync.Mutex
	paused bool
}

// openWords lets a person speak to members.
func openWords(ctx context.Context, members []*face, runs []string) (*words, error) {
	const atOnce = 256
	w := &words{http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: atOnce}, Timeout: time.Minute}, token: map[*face]string{}}
	for _, id := range runs {
		w.runs = append(w.runs, &spokenTo{id: id})
	}
	for n, f := range members {
		token, err := f.svc.AddToken(ctx, api.AddToken{Name: fmt.Sprint("bench-", n), Role: api.RoleApprover})
		if err != nil {
			return nil, err
		}
		w.token[f] = token.Secret
	}
	return w, nil
}

// say says the next word to a run at a member. It returns when that is durable.
func (w *words) say(ctx context.Context, f *face, n int) error {
	r := w.runs[n]
	r.mu.Lock()
	defer r.mu.Unlock()
	verb, body := "pause", `{"reason": "measured"}`
	if r.paused {
		verb, body = "resume", "{}"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url+"/v1/runs/"+r.id+"/"+verb, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+w.token[f])
	resp, err := w.http.Do(req)
	if err != nil {
		return err
	}
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s: %s", verb, r.id, resp.Status, answer)
	}
	if err == nil {
		r.paused = !r.paused
	}
	return errors.Join(err, resp.Body.Close())
}

func (w *words) close() { w.http.CloseIdleConnections() }
