package egress

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

const (
	maxReason = 199 // characters of a reason phrase
	goodbye   = 2 * time.Second
	leftover  = 256 << 10 // bytes read of a refused request, so that its sender reads the answer
)

// refuse answers a request that leads nowhere: 403 if the policy forbids it, 502 if
// the host was not reached. It ends the connection, because only a raw answer has a
// reason phrase, and that is all that many programs show.
func (d *serving) refuse(w http.ResponseWriter, err error) {
	status, text := http.StatusBadGateway, "Cannot connect: "+cause(err)
	var refused *Refused
	if errors.As(err, &refused) {
		status, text = http.StatusForbidden, sentence(refused)
	}
	advice := ""
	if refused != nil {
		advice = strings.ReplaceAll(d.o.Advice, "%s", endpoint(refused.Host, refused.Port))
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, text, status)
		return
	}
	hangUp(conn, rawAnswer(status, text, advice))
}

func sentence(r *Refused) string {
	return "Connection to " + endpoint(r.Host, r.Port) + " refused: " + r.Cause + "."
}

// rawAnswer is a whole HTTP response. The advice is in the reason phrase if it fits.
func rawAnswer(status int, text, advice string) string {
	reason := shownLine(text)
	if whole := shownLine(text + " " + advice); advice != "" && len(whole) <= maxReason {
		reason = whole
	}
	if len(reason) > maxReason {
		reason = reason[:maxReason]
	}
	body := strings.TrimSpace(text+"\n"+advice) + "\n"
	return fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		status, reason, len(body), body)
}

// hangUp sends a last answer and reads on for a moment: if a socket is closed with
// unread bytes, the answer may be lost.
func hangUp(conn net.Conn, word string) {
	_ = conn.SetDeadline(time.Now().Add(goodbye)) // fails only with the connection
	if _, err := io.WriteString(conn, word); err != nil {
		return
	}
	if c, ok := conn.(*client); ok {
		conn = c.Conn
	}
	if closer, ok := conn.(interface{ CloseWrite() error }); ok && closer.CloseWrite() == nil {
		_, _ = io.CopyN(io.Discard, conn, leftover) // until the client hangs up, too
	}
}

// turnAway answers a connection for which there is no room. It has read nothing of
// it, so it answers as if the client spoke HTTP.
func (d *serving) turnAway(conn net.Conn) {
	a := d.begin("", "", 0)
	defer a.end()
	a.Cause = fmt.Sprintf("%d connections are open already", d.o.MaxConns)
	_ = conn.SetDeadline(time.Now().Add(goodbye)) // fails only with the connection
	_, _ = io.WriteString(conn, rawAnswer(http.StatusServiceUnavailable, "Too many connections: "+a.Cause+".", "Open fewer at once, or close those that are done."))
	_ = conn.Close()
}

// shownLine is a text as one line of printable ASCII.
func shownLine(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r < ' ':
			return ' '
		case r >= 0x7f:
			return '?'
		}
		return r
	}, text))
}
