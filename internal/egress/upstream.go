package egress

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// dialUpstream opens a connection to the upstream proxy and, for a tunnel, asks it
// to connect to target. The proxy's own address is the person's choice, and no
// policy applies to it. Its errors are not the host's, so they wrap nothing.
func (s *Server) dialUpstream(ctx context.Context, target string, how purpose) (*far, error) {
	dialer := net.Dialer{Timeout: dialTime}
	conn, err := dialer.DialContext(ctx, "tcp", upstreamAddress(s.o.Upstream))
	if err != nil {
		return nil, errors.New("the upstream proxy cannot be reached: " + cause(err))
	}
	f := &far{Conn: conn, upstream: true}
	if err := s.prepare(ctx, f, target, how); err != nil {
		_ = conn.Close() // err says what went wrong
		return nil, errors.New("the upstream proxy gave no connection: " + cause(err))
	}
	return f, nil
}

// prepare makes a connection to the proxy ready for use, in the time that ctx has.
func (s *Server) prepare(ctx context.Context, f *far, target string, how purpose) error {
	raw := f.Conn
	stop := context.AfterFunc(ctx, func() { _ = raw.SetDeadline(time.Now()) })
	defer stop()
	if strings.EqualFold(s.o.Upstream.Scheme, "https") {
		secure := tls.Client(f.Conn, s.upstreamTLS())
		if err := secure.HandshakeContext(ctx); err != nil {
			return err
		}
		f.Conn = secure
	}
	if how == forwarded {
		return nil
	}
	if err := f.ask(target, s.o.Upstream.User); err != nil {
		return err
	}
	if !stop() {
		return ctx.Err()
	}
	return nil
}

func (s *Server) upstreamTLS() *tls.Config {
	c := s.o.UpstreamTLS.Clone()
	if c == nil {
		c = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if c.ServerName == "" {
		c.ServerName = s.o.Upstream.Hostname()
	}
	return c
}

// ask requests a tunnel and keeps what follows the proxy's answer: the host may
// speak first.
func (f *far) ask(target string, user *url.Userinfo) error {
	request := "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n"
	if user != nil {
		password, _ := user.Password()
		request += "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)) + "\r\n"
	}
	if _, err := io.WriteString(f.Conn, request+"\r\n"); err != nil {
		return err
	}
	limited := &io.LimitedReader{R: f.Conn, N: headerBytes}
	reader := bufio.NewReader(limited)
	response, err := http.ReadResponse(reader, &http.Request{Method: http.MethodConnect})
	if err != nil {
		if limited.N == 0 {
			return errors.New("its answer is too long")
		}
		return err
	}
	_ = response.Body.Close() // it is empty: the tunnel follows
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("it answered %.100s", shownLine(response.Status))
	}
	f.rest, err = reader.Peek(reader.Buffered())
	return err
}

func upstreamAddress(u *url.URL) string {
	if u.Port() != "" {
		return u.Host
	}
	if strings.EqualFold(u.Scheme, "https") {
		return net.JoinHostPort(u.Hostname(), "443")
	}
	return net.JoinHostPort(u.Hostname(), "80")
}
