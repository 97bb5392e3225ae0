package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// megabytes a second, for the table.
func perSecond(bytes float64) string { return fmt.Sprintf("%.0f MB/s", bytes/1e6) }

// tunnelSpeed compares how fast bytes come from a host over TLS through bridge and proxy with how fast they come directly:
// into a closed sandbox and into one with the machine's network, by turns.
func tunnelSpeed(ctx context.Context, shop *workshop) (outcome, error) {
	return download(ctx, shop, func(w world) order { return order{Host: w.secured, TLS: true} })
}

// tunnelPlain compares the same without encryption, where the proxy's part of the work is largest: a third process then
// moves as many bytes as the two at the ends, on however many cores there are.
func tunnelPlain(ctx context.Context, shop *workshop) (outcome, error) {
	return download(ctx, shop, func(w world) order { return order{Host: w.plain} })
}

func download(ctx context.Context, shop *workshop, from func(world) order) (outcome, error) {
	const size = 256 << 20
	return sideBySide(ctx, shop, shop.times(20), perSecond, func(w world) order {
		o := from(w)
		o.Bytes = size
		return o
	}, func(r report) float64 { return size / r.All.Seconds() })
}

// tunnelFirst compares how long the first byte of an answer takes over TLS, on a connection that is opened for it, as
// package managers do.
func tunnelFirst(ctx context.Context, shop *workshop) (outcome, error) {
	return sideBySide(ctx, shop, shop.times(400), seconds, func(w world) order { return order{Host: w.secured, TLS: true, Bytes: 1} }, firstByte)
}

// modelSpeed compares how fast a streamed answer comes through bridge and broker, which meters every event.
func modelSpeed(ctx context.Context, shop *workshop) (outcome, error) {
	return sideBySide(ctx, shop, shop.times(40), perSecond, func(w world) order {
		return order{Model: w.model, Query: "events=" + strconv.Itoa(manyEvents), Bytes: answerSize(manyEvents), Prompt: promptSize}
	}, func(r report) float64 { return float64(answerSize(manyEvents)) / r.All.Seconds() })
}

// modelFirst compares how long the first event of an answer takes after a request with a prompt.
func modelFirst(ctx context.Context, shop *workshop) (outcome, error) {
	return sideBySide(ctx, shop, shop.times(400), seconds, func(w world) order {
		return order{Model: w.model, Query: "events=0", Bytes: answerSize(0), Prompt: promptSize}
	}, firstByte)
}

func firstByte(r report) float64 { return r.First.Seconds() }
func seconds(s float64) string   { return short(time.Duration(s * float64(time.Second))) }

// sideBySide asks a client behind all walls and one with the machine's network for the same, by turns.
func sideBySide(ctx context.Context, shop *workshop, times int, word func(float64) string, what func(world) order, figure func(report) float64) (o outcome, err error) {
	if kind, reason := sandbox.Detect(ctx); kind != sandbox.Sandbox {
		return outcome{skipped: "no sandbox: " + reason}, nil
	}
	w, err := openWorld()
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	closed, err := openInsider(ctx, shop, walls{closed: true, hosts: []string{w.plain, w.secured}, model: w.model, bound: true})
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, closed.close()) }()
	open, err := openInsider(ctx, shop, walls{})
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, open.close()) }()
	const warming = 2
	var measured, base []float64
	for i := range warming + times {
		m, err := closed.do(what(w))
		if err != nil {
			return o, err
		}
		b, err := open.do(what(w))
		if err != nil {
			return o, err
		}
		if i >= warming {
			measured, base = append(measured, figure(m)), append(base, figure(b))
		}
	}
	return compare(measured, base, word), nil
}

// world is what is outside: a host that sends bytes, plain and over TLS, and a model.
type world struct {
	plain, secured, model string
	close                 func() error
}

func openWorld() (w world, err error) {
	listen := func() (l net.Listener) {
		if err == nil {
			l, err = net.Listen("tcp4", "127.0.0.2:0") //nolint:noctx // ends at once
		}
		return l
	}
	plain, secured, model := listen(), listen(), listen()
	if err != nil {
		return w, err
	}
	certificate, err := selfSigned()
	if err != nil {
		return w, err
	}
	server := &http.Server{Handler: http.HandlerFunc(converse), ReadHeaderTimeout: time.Minute}
	var serving sync.WaitGroup
	serving.Go(func() { give(plain) })
	serving.Go(func() {
		give(tls.NewListener(secured, &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS13}))
	})
	serving.Go(func() { _ = server.Serve(model) }) // until it is closed
	return world{
		plain: plain.Addr().String(), secured: secured.Addr().String(), model: "http://" + model.Addr().String(),
		close: func() error {
			err := errors.Join(plain.Close(), secured.Close(), server.Close())
			serving.Wait()
			return err
		},
	}, nil
}

func selfSigned() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// give sends each client as many bytes as it asks for, until the listener is closed.
func give(l net.Listener) {
	var open sync.WaitGroup
	defer open.Wait()
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		open.Go(func() {
			defer func() { _ = conn.Close() }()
			var size [8]byte
			if _, err := io.ReadFull(conn, size[:]); err != nil {
				return // the client says what was wrong
			}
			piece := make([]byte, 256<<10)
			for left := binary.BigEndian.Uint64(size[:]); left > 0; {
				n, err := conn.Write(piece[:min(left, uint64(len(piece)))])
				if err != nil {
					return
				}
				left -= uint64(n) //nolint:gosec // a length
			}
		})
	}
}

// The shape of a conversation with a model: a prompt as large as that of a coding agent at work, and an answer in events of
// 200 bytes.
const (
	promptSize = 100 << 10
	manyEvents = 20_000
)

var (
	firstEvent = sse("message_start", `{"type":"message_start","message":{"id":"m","usage":{"input_tokens":100,"output_tokens":1}}}`)
	nextEvent  = sse("content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"`+strings.Repeat("word ", 16)+`"}}`)
	lastEvent  = sse("message_delta", `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1000}}`) +
		sse("message_stop", `{"type":"message_stop"}`)
)

func sse(name, data string) string { return "event: " + name + "\ndata: " + data + "\n\n" }

func answerSize(events int) int64 {
	return int64(len(firstEvent) + events*len(nextEvent) + len(lastEvent))
}

// converse is the model. It sends each event by itself, as models do.
func converse(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return // the client says what was wrong
	}
	events, err := strconv.Atoi(r.URL.Query().Get("events"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	say := func(event string) bool {
		_, err := io.WriteString(w, event)
		return err == nil && control.Flush() == nil
	}
	more := say(firstEvent)
	for range events {
		more = more && say(nextEvent)
	}
	_ = more && say(lastEvent) // a client that is gone says so itself
}
