package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// openPages is how many pages are open at once. One of them has stalled: it reads
// nothing.
const openPages = 200

// liveEvents measures the time from a person's word until an open page hears that
// something moved, over all pages and words, commit included; the 99th of 100
// counts. The pages are connections of their own to `stellwerk serve`, all in
// this process, on the same processor. The limit is absolute.
func liveEvents(ctx context.Context, shop *workshop) (o outcome, err error) {
	dir, err := shop.folder("live")
	if err != nil {
		return o, err
	}
	if err := manyProjects(ctx, shop, dir, 1); err != nil {
		return o, err
	}
	f, err := openFace(ctx, shop, dir)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	ctx, cancel := context.WithCancel(ctx)
	hall := &audience{latest: map[int]heard{}, came: make(chan struct{}, 1)}
	var open sync.WaitGroup
	defer open.Wait()
	defer cancel()
	stalled, err := f.stall(ctx)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, stalled.Close()) }()
	for i := range openPages - 1 {
		stream, err := f.listen(ctx)
		if err != nil {
			return o, err
		}
		open.Go(func() { hall.sit(i, stream) })
	}
	var all []time.Duration
	for range shop.times(100) {
		took, err := hall.word(ctx, f)
		if err != nil {
			return o, err
		}
		all = append(all, took...)
	}
	slices.Sort(all)
	p99 := all[len(all)*99/100]
	return outcome{ratio: p99.Seconds() / 0.100, measured: fmt.Sprintf("%s, p50 %s", short(p99), short(median(all)))}, nil
}

// stall opens a stream whose other end never reads, with next to no room on the
// way.
func (f *face) stall(ctx context.Context) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", strings.TrimPrefix(f.url, "http://"))
	if err != nil {
		return nil, err
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		if err := tcp.SetReadBuffer(1); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	req, err := f.ask(ctx, "/live")
	if err == nil {
		err = req.Write(conn)
	}
	return conn, err
}

// listen opens a page's stream and returns it.
func (f *face) listen(ctx context.Context) (*http.Response, error) {
	at, err := f.svc.Position(ctx)
	if err != nil {
		return nil, err
	}
	req, err := f.ask(ctx, "/live?since="+at)
	if err != nil {
		return nil, err
	}
	resp, err := f.http.Do(req)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = errors.Join(errors.New(resp.Status), resp.Body.Close())
	}
	return resp, err
}

// audience is who listens, and what each heard last.
type audience struct {
	mu     sync.Mutex
	latest map[int]heard // by seat
	ended  error
	came   chan struct{}
}

// heard is a position, and when it came.
type heard struct {
	at   int
	when time.Time
}

// sit listens until the stream ends.
func (h *audience) sit(seat int, resp *http.Response) {
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		id, ok := strings.CutPrefix(lines.Text(), "id: ")
		if !ok {
			continue
		}
		h.mu.Lock()
		h.latest[seat] = heard{place(id), time.Now()}
		h.mu.Unlock()
		select {
		case h.came <- struct{}{}:
		default:
		}
	}
	h.mu.Lock()
	h.ended = errors.Join(errors.New("a stream ended"), lines.Err(), resp.Body.Close())
	h.mu.Unlock()
}

// place is the number in a position.
func place(position string) int {
	n, err := strconv.Atoi(position[strings.LastIndexByte(position, '.')+1:])
	if err != nil {
		return -1
	}
	return n
}

// word says something and returns how long it took to reach each seat.
func (h *audience) word(ctx context.Context, f *face) ([]time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	began := time.Now()
	if err := f.move(ctx); err != nil {
		return nil, err
	}
	position, err := f.svc.Position(ctx)
	if err != nil {
		return nil, err
	}
	for {
		took, err := h.since(began, place(position))
		if err != nil || len(took) == openPages-1 {
			return took, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%d of %d pages heard of it: %w", len(took), openPages-1, ctx.Err())
		case <-h.came:
		}
	}
}

// since is how long it took for those who have heard of a position.
func (h *audience) since(began time.Time, at int) ([]time.Duration, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var took []time.Duration
	for _, l := range h.latest {
		if l.at >= at {
			took = append(took, l.when.Sub(began))
		}
	}
	return took, h.ended
}
