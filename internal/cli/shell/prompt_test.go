package shell

import (
	"io"
	"testing"
)

func TestLineThatCameWhileNobodyAskedIsDropped(t *testing.T) {
	r, w := io.Pipe()
	defer func() { _ = w.Close() }()
	var keys typed
	first := keys.next(r)
	if _, err := io.WriteString(w, "too early\n"); err != nil {
		t.Fatal(err)
	}
	early := <-first
	keys.reading <- early // it has arrived, and nobody has taken it
	second := keys.next(r)
	if _, err := io.WriteString(w, "in time\n"); err != nil {
		t.Fatal(err)
	}
	if l := <-second; l.Text != "in time" || l.Err != nil {
		t.Errorf("%+v", l)
	}
}
