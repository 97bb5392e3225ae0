package spare

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// noting is a worker that notes its order in a file. Without one it ends at once.
func noting(t *testing.T) (command []string, noted string) {
	t.Helper()
	noted = filepath.Join(t.TempDir(), "order")
	return []string{"/bin/sh", "-c", `read -r order || exit 0; printf x >&3; printf %s "$order" > "$1"; exit 7`, "sh", noted}, noted
}

// waits waits until a spare is there, and returns it.
func waits(t *testing.T, p *Pool) *Process {
	t.Helper()
	var found *Process
	if !waittest.Until(func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		found = p.waiting
		return found != nil
	}) {
		t.Fatal("there is no spare")
	}
	return found
}

// TestGive: the spare gets the order, once, and says what it ended with.
func TestGive(t *testing.T) {
	command, noted := noting(t)
	p := New(command)
	if p.Give(shim.Order{}) != nil {
		t.Fatal("a spare that nobody started took an order")
	}
	p.Refill()
	made := p.Give(shim.Order{Env: []string{"TOKEN=s3cret"}}) // waits for the one that is being started
	if made == nil {
		t.Fatal("there is no spare")
	}
	<-made.Ended
	if order, err := os.ReadFile(noted); err != nil || !strings.Contains(string(order), "TOKEN=s3cret") || made.Code() != 7 {
		t.Errorf("its order is %s, %v; it ended with %d", order, err, made.Code())
	}
	if p.Give(shim.Order{}) != nil {
		t.Error("the spare took a second order")
	}
	if err := made.Word.Close(); err != nil {
		t.Error(err)
	}
}

// timed notes which time the reads of a pipe got.
type timed struct {
	*os.File
	deadlines []time.Time
}

func (p *timed) SetReadDeadline(at time.Time) error {
	p.deadlines = append(p.deadlines, at)
	return p.File.SetReadDeadline(at)
}

// TestTheWordOfASpareHasTime: its answer must come in time; what it says of its attempt may come long after that.
func TestTheWordOfASpareHasTime(t *testing.T) {
	read, giver, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	word := &timed{File: read}
	defer func() { _ = errors.Join(word.Close(), giver.Close()) }()
	if _, err := giver.WriteString("xy"); err != nil { // the answer, and the word
		t.Fatal(err)
	}
	deadline := waittest.Deadline()
	if err := awaitAnswer(word, deadline); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(word.deadlines, []time.Time{deadline, {}}) {
		t.Errorf("its reads end at %v", word.deadlines)
	}
	said := make([]byte, 2)
	if n, err := word.Read(said); err != nil || string(said[:n]) != "y" {
		t.Errorf("it said %q, %v", said[:n], err)
	}
}

// TestASpareThatDies when it is taken gets no order: whoever gives it is told.
func TestASpareThatDies(t *testing.T) {
	command, noted := noting(t)
	p := New(command)
	p.Refill()
	waits(t, p)
	made := p.take()
	if err := syscall.Kill(made.cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-made.Ended
	if err := made.order(shim.Order{}, waittest.Limit); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("an order to a dead worker: %v", err)
	}
	if _, err := os.Stat(noted); err == nil {
		t.Error("it has its order")
	}
}

// TestASpareThatDoesNotRead keeps no attempt waiting, however long the order.
func TestASpareThatDoesNotRead(t *testing.T) {
	p := New([]string{"/bin/sleep", "100000"})
	p.answer = time.Millisecond
	p.Refill()
	made := waits(t, p)
	if p.Give(shim.Order{Env: []string{"TOKEN=" + strings.Repeat("x", 100_000)}}) != nil {
		t.Error("it took the order")
	}
	<-made.Ended
}

// stopped is a spare that somebody has stopped.
func stopped(t *testing.T, p *Pool) *Process {
	t.Helper()
	p.Refill()
	made := waits(t, p)
	if err := syscall.Kill(made.cmd.Process.Pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	return made
}

// TestAStoppedSpare keeps no attempt waiting, although its pipe holds the order. It is killed, and never gets to the attempt.
func TestAStoppedSpare(t *testing.T) {
	command, noted := noting(t)
	p := New(command)
	p.answer = 10 * time.Millisecond
	made := stopped(t, p)
	if p.Give(shim.Order{}) != nil {
		t.Error("it took the order")
	}
	<-made.Ended
	if _, err := os.Stat(noted); err == nil {
		t.Error("it has carried out its order")
	}
}

// TestAStoppedSpareEnds when nobody has needed it, and with its pool.
func TestAStoppedSpareEnds(t *testing.T) {
	command, _ := noting(t)
	p := New(command)
	made := stopped(t, p)
	p.drop(made)
	<-made.Ended
	made = stopped(t, p)
	p.Close()
	<-made.Ended
}

// TestASpareEnds when nobody has needed it for a while, and with its pool, which starts no other.
func TestASpareEnds(t *testing.T) {
	command, _ := noting(t)
	p := New(command)
	p.wait = time.Millisecond
	p.Refill()
	if !waittest.Until(func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.waiting == nil && p.making == nil
	}) {
		t.Fatal("the spare stays")
	}
	p.wait = time.Hour
	p.Refill()
	made := waits(t, p)
	if ended := p.Close(); ended != made.Ended {
		t.Error("it does not tell when the spare has ended")
	}
	<-made.Ended
	p.Refill()
	if p.take() != nil {
		t.Error("there is another spare")
	}
}

// TestNoPool has no spare.
func TestNoPool(t *testing.T) {
	var p *Pool
	p.Refill()
	if p.Give(shim.Order{}) != nil || p.Close() != nil {
		t.Error("there is a spare")
	}
}
