package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// follow writes a run's events until it ends, the client goes, or the server
// shuts down. In the last two cases the stream just breaks off.
func follow(ctx context.Context, svc Service, run string, after int64, w http.ResponseWriter) {
	ctx, stop := untilDrained(ctx)
	defer stop()
	s, ok := openStream(w)
	if !ok {
		return
	}
	err := svc.Follow(ctx, run, after, func(e core.Event) error {
		line, err := e.Line()
		if err != nil {
			return err
		}
		return s.send(fmt.Sprintf("id: %d\nevent: %s\n", e.Seq, EventHappened), line)
	})
	switch {
	case ctx.Err() != nil || s.broken:
	case err != nil:
		s.finish(EventProblem, problemOf(err))
	default:
		s.finish(EventEnd, struct{}{})
	}
}

// eventStream writes server-sent events.
type eventStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	broken  bool
}

// openStream sends the head of a stream; false where nobody is there.
func openStream(w http.ResponseWriter) (*eventStream, bool) {
	s := &eventStream{w: w, control: http.NewResponseController(w)}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	return s, s.control.Flush() == nil
}

func (s *eventStream) send(head string, data []byte) error {
	err := s.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	if err == nil {
		_, err = fmt.Fprintf(s.w, "%sdata: %s\n\n", head, data)
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
