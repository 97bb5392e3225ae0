package api

import "net/http"

// statedOnce sends the status of an answer once. The framework states another when
// a client is gone before it has the whole answer, for logs that are not kept
// here, and net/http would complain about that at the person's terminal.
func statedOnce(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&statedWriter{ResponseWriter: w}, r)
	})
}

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
