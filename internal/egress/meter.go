package egress

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// meter counts the bytes of a connection.
type meter struct {
	net.Conn
	moved          func()
	reading        sync.Mutex
	writing        sync.Mutex
	sent, received int64
	broken         error // by the host
}

// Read implements net.Conn.
func (m *meter) Read(p []byte) (int, error) {
	m.reading.Lock()
	defer m.reading.Unlock()
	n, err := m.Conn.Read(p)
	m.received += int64(n)
	if n > 0 {
		m.moved()
	}
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
		m.broken = err
	}
	return n, err
}

// Write implements net.Conn.
func (m *meter) Write(p []byte) (int, error) {
	m.writing.Lock()
	defer m.writing.Unlock()
	n, err := m.Conn.Write(p)
	m.sent += int64(n)
	if n > 0 {
		m.moved()
	}
	return n, err
}

// settle closes the connection and returns the bytes that it moved.
func (m *meter) settle() (sent, received int64) {
	_ = m.Close() // mostly it is closed already
	m.reading.Lock()
	defer m.reading.Unlock()
	m.writing.Lock()
	defer m.writing.Unlock()
	return m.sent, m.received
}

// cause says how a settled connection broke, if it did.
func (m *meter) cause() string {
	m.reading.Lock()
	defer m.reading.Unlock()
	if m.broken == nil {
		return ""
	}
	return cause(m.broken)
}

// watch cuts a connection that moves no bytes.
type watch struct {
	mu    sync.Mutex
	idle  time.Duration
	last  time.Time
	timer *time.Timer
	fired bool
}

func newWatch(idle time.Duration, cut func()) *watch {
	w := &watch{idle: idle, last: time.Now()}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(idle, func() {
		if w.due() {
			cut()
		}
	})
	return w
}

// due reports whether the time has come, and sets the timer again otherwise.
func (w *watch) due() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if left := w.idle - time.Since(w.last); left > 0 {
		w.timer.Reset(left)
		return false
	}
	w.fired = true
	return true
}

func (w *watch) touch() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = time.Now()
}

// hurry shortens the time that is left.
func (w *watch) hurry(idle time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.idle = min(w.idle, idle)
	w.last = time.Now()
	w.timer.Reset(w.idle)
}

func (w *watch) stop() { w.timer.Stop() }

func (w *watch) cause() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.fired {
		return ""
	}
	return "no bytes were moved for " + w.idle.String()
}
