// Command inside is the client that figures run in a sandbox. It does what it is asked on a named pipe, one line at a time,
// and tells on another how long that took. It reaches hosts and the model as any program does: through the proxy and the
// base URL of its environment, or directly if there are none.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/tls"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// order is one thing to do. A host gets the number of bytes that it is to send, 8 bytes long, and sends them; a model gets a
// request with a prompt of Prompt bytes, and answers with as much as Query says.
type order struct {
	Host   string
	TLS    bool
	Bytes  int64
	Model  string
	Query  string
	Prompt int
}

// report says how long the first byte took, and all of them.
type report struct {
	First, All time.Duration
	Error      string
}

func main() {
	if err := serve(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve takes orders until their pipe ends.
func serve(asked, told string) error {
	in, err := os.Open(asked)
	if err != nil {
		return err
	}
	out, err := os.OpenFile(told, os.O_WRONLY, 0)
	if err != nil {
		return errors.Join(err, in.Close())
	}
	orders, reports := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var o order
		if err := orders.Decode(&o); errors.Is(err, io.EOF) {
			return errors.Join(in.Close(), out.Close())
		} else if err != nil {
			return err
		}
		r, err := o.carryOut()
		if err != nil {
			r.Error = err.Error()
		}
		if err := reports.Encode(r); err != nil {
			return err
		}
	}
}

func (o order) carryOut() (report, error) {
	if o.Model != "" {
		return o.ask()
	}
	return o.fetch()
}

// fetch opens a connection of its own.
func (o order) fetch() (r report, err error) {
	began := time.Now()
	conn, err := o.dial()
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.Write(binary.BigEndian.AppendUint64(nil, uint64(o.Bytes))); err != nil { //nolint:gosec // a length
		return r, err
	}
	return drain(conn, o.Bytes, began)
}

func (o order) dial() (net.Conn, error) {
	conn, err := o.connect()
	if err != nil || !o.TLS {
		return conn, err
	}
	secured := tls.Client(conn, &tls.Config{InsecureSkipVerify: true}) //nolint:gosec // the server is the figure's own
	if err := secured.Handshake(); err != nil {                        //nolint:noctx // the figure ends it with the sandbox
		return nil, errors.Join(err, conn.Close())
	}
	return secured, nil
}

// connect asks the proxy for a tunnel if there is a proxy.
func (o order) connect() (net.Conn, error) {
	proxy, err := url.Parse(os.Getenv("HTTPS_PROXY"))
	if err != nil {
		return nil, err
	}
	conn, err := net.Dial("tcp", cmp.Or(proxy.Host, o.Host)) //nolint:noctx // the figure ends it with the sandbox
	if err != nil || proxy.Host == "" {
		return conn, err
	}
	if _, err := fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %[1]s\r\n\r\n", o.Host); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	// The host says nothing before it is asked, so nothing of it is read here.
	answer, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: http.MethodConnect}) //nolint:bodyclose // it has none
	if err == nil && answer.StatusCode != http.StatusOK {
		err = errors.New("the proxy says " + answer.Status)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// ask sends a request to the model, as agents do on a connection that stays open.
func (o order) ask() (r report, err error) {
	body := `{"model":"claude-opus-4-5","max_tokens":32000,"stream":true,"messages":[{"role":"user","content":"` +
		strings.Repeat("word ", o.Prompt/5) + `"}]}`
	address := cmp.Or(os.Getenv("ANTHROPIC_BASE_URL"), o.Model) + "/v1/messages?" + o.Query
	request, err := http.NewRequest(http.MethodPost, address, strings.NewReader(body)) //nolint:noctx // the figure ends it
	if err != nil {
		return r, err
	}
	request.Header.Set("X-Api-Key", os.Getenv("ANTHROPIC_API_KEY"))
	began := time.Now()
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	if answer.StatusCode != http.StatusOK {
		text, err := io.ReadAll(answer.Body)
		return r, errors.Join(fmt.Errorf("the model says %s: %s", answer.Status, bytes.TrimSpace(text)), err)
	}
	return drain(answer.Body, o.Bytes, began)
}

// drain reads to the end, which must come after so many bytes.
func drain(from io.Reader, size int64, began time.Time) (r report, err error) {
	buffer := make([]byte, 256<<10)
	n, err := from.Read(buffer)
	r.First = time.Since(began)
	all := int64(n)
	for err == nil {
		n, err = from.Read(buffer)
		all += int64(n)
	}
	r.All = time.Since(began)
	if !errors.Is(err, io.EOF) {
		return r, err
	}
	if all != size {
		return r, fmt.Errorf("%d bytes came instead of %d", all, size)
	}
	return r, nil
}
