package api

import "net/http"

// statedWriter sends the first status of an answer only. The framework states
// another when a client leaves before it has the whole answer, and net/http would
// complain about that at the person's terminal.
type statedWriter struct {
	http.ResponseWriter
	stated bool
}

func (w *statedWriter) WriteHeader(status int) {
	if w.stated {
		return
	}
	w.stated = status >= http.StatusOK // others only announce it
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
