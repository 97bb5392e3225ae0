package api

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Views are what a screen needs beside the lists: when to look again, and what
// lies behind what it shows.
type Views interface {
	// Position is where the engine stands. Who takes it, looks, and watches from
	// there, misses nothing.
	Position(ctx context.Context) (string, error)
	// Watch calls fn whenever something has moved on since a position, until the
	// context ends or fn fails. A position that the engine does not know means
	// that anything may have moved.
	Watch(ctx context.Context, since string, fn func(Moved) error) error
	// RunAt is a run as it was after one of its events.
	RunAt(ctx context.Context, id string, seq int64) (RunDetail, error)
	// Prompt writes what an attempt was told.
	Prompt(ctx context.Context, id, attempt string, w io.Writer) error
	// Document writes one of the documents that a run's history names: an
	// artifact, or the whole output of a check.
	Document(ctx context.Context, id, digest string, w io.Writer) error
}

// Moved says what moved on.
type Moved struct {
	At       string   `json:"at" doc:"Where the engine stands; pass as since"`
	Runs     []string `json:"runs,omitempty" doc:"Ids of runs that moved on"`
	Projects []string `json:"projects,omitempty" doc:"Keys of projects that did"`
	All      bool     `json:"all,omitempty" doc:"Anything may have moved"`
}

// Standing is a position on the wire.
type Standing struct {
	At string `json:"at"`
}

// EventMoved is the name of an event in a stream of moves: its data is a Moved,
// its id the position.
const EventMoved = "moved"

// EventBeat says that the engine is there, and nothing else: a program cannot see
// comments, nor whether a silent line is a broken one.
const (
	EventBeat  = "beat"
	watchBeats = 10 * time.Second
)

type watchInput struct {
	Since string `query:"since" doc:"A position; without one the first event says where the engine stands"`
	Last  string `header:"Last-Event-ID" doc:"Takes the place of since when a broken stream is resumed"`
}

func (in *watchInput) from() string {
	if in.Last != "" {
		return in.Last
	}
	return in.Since
}

func watching() endpoint {
	return streaming("Server-sent events: moved, with the position as id; beat every ten seconds, so that a line that broke in silence is noticed",
		func(ctx context.Context, svc Service, in *watchInput, fn func(Moved) error) error {
			return svc.Watch(ctx, in.Since, fn)
		},
		func(_ context.Context, svc Service, in *watchInput) (func(context.Context, http.ResponseWriter), error) {
			return func(ctx context.Context, w http.ResponseWriter) { ServeWatch(ctx, svc, in.from(), w) }, nil
		})
}

// ServeWatch writes moves as server-sent events until the client goes or the
// server shuts down.
func ServeWatch(ctx context.Context, svc Views, since string, w http.ResponseWriter) {
	serveWatch(ctx, svc, since, w, writeTimeout)
}

func serveWatch(ctx context.Context, svc Views, since string, w http.ResponseWriter, patience time.Duration) {
	ctx, stop := UntilDrained(ctx)
	defer stop()
	s, ok := openStream(w, patience)
	if !ok {
		return
	}
	s.pulse, s.every = "event: "+EventBeat+"\ndata: {}\n\n", watchBeats
	ctx, rest := s.beat(ctx)
	defer rest()
	err := svc.Watch(ctx, since, func(m Moved) error {
		data, err := json.Marshal(m)
		if err != nil {
			return err
		}
		return s.send("id: "+m.At+"\nevent: "+EventMoved+"\n", data)
	})
	if ctx.Err() == nil && !s.isBroken() && err != nil {
		s.finish(EventProblem, problemOf(err))
	}
}

// MovedFrom sorts streams by what they are of.
func MovedFrom(at string, streams []string, all bool) Moved {
	m := Moved{At: at, All: all}
	for _, stream := range streams {
		switch kind, id := core.StreamKind(stream); kind {
		case "run":
			m.Runs = append(m.Runs, id)
		case "project":
			m.Projects = append(m.Projects, id)
		}
	}
	return m
}
