// Package scriptedmodel is a local stand-in for a model: a server that speaks
// the Anthropic Messages API well enough for real agent programs and answers
// from a scenario file, so that those programs are tested end to end without a
// model, a key or a network. It listens on loopback addresses only, asks for no
// credential and keeps none, and never invents an answer: what the scenario does
// not foresee is refused with an error that shows in the agent's output.
package scriptedmodel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"time"
)

// ErrNotLoopback is returned for an address that others could reach.
var ErrNotLoopback = errors.New("the scripted model listens on loopback addresses only")

// requestLimit bounds what an agent may send in one call.
const requestLimit = 64 << 20

// Server plays one scenario. It is an http.Handler, safe for concurrent use.
type Server struct {
	player  player
	handler http.Handler
	journal journal
}

// New makes a server that plays s from the start.
func New(s *Scenario) *Server {
	server := &Server{player: player{
		scenario: s,
		ongoing:  make(map[string]*dialogue),
		started:  make(map[*Conversation]int),
	}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", server.messages)
	mux.HandleFunc("POST /v1/messages/count_tokens", server.countTokens)
	mux.HandleFunc("/", server.other)
	server.handler = mux
	return server
}

// ServeHTTP answers one call.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.handler.ServeHTTP(w, r)
}

// Requests returns every call so far, in the order they were answered.
func (s *Server) Requests() []Request {
	s.player.mu.Lock()
	defer s.player.mu.Unlock()
	return slices.Clone(s.player.requests)
}

// Run plays the scenario in the file at path on address until ctx ends. It
// writes the server's base URL as one line to out once it accepts calls. Where
// record names a file, every call is added to it as a line of JSON.
func Run(ctx context.Context, path, address, record string, out io.Writer) (err error) {
	s, err := Load(path)
	if err != nil {
		return err
	}
	server := New(s)
	if record != "" {
		f, openErr := os.OpenFile(record, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if openErr != nil {
			return fmt.Errorf("recording the calls: %w", openErr)
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		server.Record(f)
	}
	listener, err := Listen(ctx, address)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "http://%s\n", listener.Addr()); err != nil {
		return errors.Join(fmt.Errorf("printing the address: %w", err), listener.Close())
	}
	return server.Serve(ctx, listener)
}

// Listen opens address, which must be of the loopback interface.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("listening on %q: %w", address, err)
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("listening on %q: %w; use 127.0.0.1:0", address, ErrNotLoopback)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listening on %q: %w", address, err)
	}
	return listener, nil
}

// Serve answers calls on listener until ctx ends, and closes it. It returns what
// kept calls from being recorded.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving the scripted model: %w", err)
	}
	return s.journal.failure()
}

func (s *Server) messages(w http.ResponseWriter, r *http.Request) {
	call, err := readCall(w, r)
	if err != nil {
		s.refuse(w, Request{Method: r.Method, Path: r.URL.Path}, err.Error())
		return
	}
	record := call.record(r)
	c := s.player.answer(call, &record)
	if c.refusal != "" {
		s.refuse(w, record, c.refusal)
		return
	}
	if !pause(r.Context(), c.turn.Delay) {
		s.deliver(record, r.Context().Err)
		return
	}
	if c.turn.Error != nil {
		record.Status = c.turn.Error.Status
		s.deliver(record, func() error { return c.turn.Error.send(w, false) })
		return
	}
	message, err := compose(&c)
	if err != nil {
		s.refuse(w, record, err.Error())
		return
	}
	record.Status = http.StatusOK
	s.deliver(record, func() error { return message.send(w, call.Stream) })
}

func (s *Server) countTokens(w http.ResponseWriter, r *http.Request) {
	call, err := readCall(w, r)
	if err != nil {
		s.refuse(w, Request{Method: r.Method, Path: r.URL.Path}, err.Error())
		return
	}
	record := call.record(r)
	record.Status = http.StatusOK
	s.deliver(record, func() error {
		return writeJSON(w, http.StatusOK, map[string]int{"input_tokens": len(record.System+record.Latest) / 4})
	})
}

// other answers what agents ask besides messages: that the server is there.
func (s *Server) other(w http.ResponseWriter, r *http.Request) {
	record := Request{Method: r.Method, Path: r.URL.Path, Status: http.StatusOK}
	if r.Method != http.MethodHead && r.URL.Path != "/" {
		record.Status = http.StatusNotFound
	}
	s.deliver(record, func() error {
		w.WriteHeader(record.Status)
		return nil
	})
}

// refuse tells the agent that the scenario does not go on. The error is one
// that agents neither repeat nor hide.
func (s *Server) refuse(w http.ResponseWriter, record Request, reason string) {
	record.Status = http.StatusBadRequest
	failure := APIError{Status: record.Status, Type: "invalid_request_error", Message: "scripted model: " + reason}
	s.deliver(record, func() error { return failure.send(w, true) })
}

// deliver notes the request before the agent can act on the reply. An agent that
// hangs up is within its rights, so a failure to send is noted and nothing more.
func (s *Server) deliver(record Request, send func() error) {
	s.player.mu.Lock()
	index := len(s.player.requests)
	s.player.requests = append(s.player.requests, record)
	s.journal.add(record)
	s.player.mu.Unlock()
	if send() == nil {
		return
	}
	s.player.mu.Lock()
	s.player.requests[index].Lost = true
	s.player.mu.Unlock()
}

func readCall(w http.ResponseWriter, r *http.Request) (*messagesCall, error) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, requestLimit))
	if err != nil {
		return nil, fmt.Errorf("reading the request: %w", err)
	}
	call := &messagesCall{}
	if err := json.Unmarshal(data, call); err != nil {
		return nil, fmt.Errorf("understanding the request: %w", err)
	}
	return call, nil
}

// pause waits, unless the agent hangs up first.
func pause(ctx context.Context, length time.Duration) bool {
	if length == 0 {
		return true
	}
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
