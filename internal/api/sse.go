package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// follow writes a run's events until it ends, the client goes, or the server
// shuts down. In the last two cases the stream just breaks off.
func follow(ctx context.Context, svc Service, run string, after int64, w http.ResponseWriter) {
	ctx, stop := UntilDrained(ctx)
	defer stop()
	s, ok := openStream(w, writeTimeout)
	if !ok {
		return
	}
	ctx, rest := s.beat(ctx)
	defer rest()
	err := svc.Follow(ctx, run, after, func(e core.Event) error {
		line, err := e.Line()
		if err != nil {
			return err
		}
		return s.send(fmt.Sprintf("id: %d\nevent: %s\n", e.Seq, EventHappened), line)
	})
	switch {
	case ctx.Err() != nil || s.isBroken():
	case err != nil:
		s.finish(EventProblem, problemOf(err))
	default:
		s.finish(EventEnd, struct{}{})
	}
}

// eventStream writes server-sent events.
type eventStream struct {
	w        http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration // how long the client may leave a piece unread
	pulse    string        // what is written to show that somebody is here
	every    time.Duration // how long it is silent at most

	mu     sync.Mutex
	broken bool
}

// beatEvery is how long a stream is silent at most: less than proxies wait.
const beatEvery = 25 * time.Second

// beat shows now and then that somebody is here, until stop is called. It writes a
// comment, which every client passes over, unless pulse says otherwise. If nobody
// takes it, the returned context ends: a stream on which nothing happens is over when
// its client is gone.
func (s *eventStream) beat(ctx context.Context) (alive context.Context, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() {
		defer cancel()
		tick := time.NewTicker(s.every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if s.write(s.pulse) != nil {
					return
				}
			}
		}
	})
	return ctx, func() { cancel(); work.Wait() }
}

// openStream sends the head of a stream; false if nobody is there.
func openStream(w http.ResponseWriter, patience time.Duration) (*eventStream, bool) {
	s := &eventStream{w: w, control: http.NewResponseController(w), patience: patience, pulse: ": still here\n\n", every: beatEvery}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	return s, s.control.Flush() == nil
}

func (s *eventStream) send(head string, data []byte) error {
	return s.write(fmt.Sprintf("%sdata: %s\n\n", head, data))
}

func (s *eventStream) isBroken() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.broken
}

func (s *eventStream) write(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.control.SetWriteDeadline(time.Now().Add(s.patience))
	if err == nil {
		_, err = io.WriteString(s.w, text)
	}
	if err == nil {
		err = s.control.Flush()
	}
	s.broken = s.broken || err != nil
	return err
}

// finish tells the client how the stream ended. A client that cannot be told
// sees it break off and asks again.
func (s *eventStream) finish(event string, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		return
	}
	_ = s.send("event: "+event+"\n", data)
}
