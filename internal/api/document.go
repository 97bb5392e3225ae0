package api

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// writeTimeout is how long a client may leave a piece of a stream unread.
const writeTimeout = 30 * time.Second

// ServeDocument streams what write writes, under a head. A failure before the
// first byte is returned, and nothing was sent; one after it breaks the connection,
// so that half a document is never taken for a whole one. It may take as long as it
// likes while somebody reads.
func ServeDocument(w http.ResponseWriter, head http.Header, write func(io.Writer) error) error {
	out := &document{w: w, control: http.NewResponseController(w), head: head}
	err := write(out)
	switch {
	case err != nil && !out.begun:
		return err
	case err != nil:
		panic(http.ErrAbortHandler)
	case !out.begun:
		out.begin()
	}
	return nil
}

// document delays the response's head until the first byte.
type document struct {
	w       http.ResponseWriter
	control *http.ResponseController
	head    http.Header
	begun   bool
}

func (d *document) begin() {
	d.begun = true
	for name, values := range d.head {
		d.w.Header()[name] = values
	}
	d.w.WriteHeader(http.StatusOK)
}

func (d *document) Write(p []byte) (int, error) {
	if !d.begun {
		d.begin()
	}
	if err := d.control.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, fmt.Errorf("limit the time to write: %w", err)
	}
	return d.w.Write(p)
}
