package pg

import (
	"errors"
	"io"
	"net"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
)

// connectionLost reports that a connection ended while something was under way on it.
func connectionLost(err error) bool {
	var network net.Error
	return errors.Is(err, errSilent) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		errors.Is(err, net.ErrClosed) || errors.As(err, &network)
}

// Passing reports a failure that the same request, sent again, may not meet: the server restarts, is locked, has no connection left,
// takes no writes, or a connection broke.
func Passing(err error) bool {
	code := Code(err)
	if code == "" {
		if untrusted(err) != nil {
			return false
		}
		_, refused := errors.AsType[*pgconn.ConnectError](err)
		return refused || errors.Is(err, errPooler) || pgconn.SafeToRetry(err) || connectionLost(err)
	}
	switch code[:2] {
	case "08", "53", "57", "58", "40":
		return true
	}
	return code == "55P03" || code == codeReadOnly
}
