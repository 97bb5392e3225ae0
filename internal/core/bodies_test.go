package core

import (
	"errors"
	"testing"
	"time"
)

// TestBodiesAreDecodedOnce: what is known is not decoded, what is not is, and what cannot be read is not remembered.
func TestBodiesAreDecodedOnce(t *testing.T) {
	known, _, err := Seal("run-1", Head{}, time.Unix(1, 0), Engine(), "", RunPaused{Reason: "known"})
	if err != nil {
		t.Fatal(err)
	}
	read, _, err := Seal("run-1", Head{Seq: 1}, time.Unix(1, 0), Engine(), "", RunPaused{Reason: "read"})
	if err != nil {
		t.Fatal(err)
	}
	strange := read
	strange.Seq, strange.Type = 3, "NeverHeardOf"
	bodies := Bodies{1: RunPaused{Reason: "remembered"}}
	for _, c := range []struct {
		event Event
		want  string
	}{{known, "remembered"}, {read, "read"}, {read, "read"}} {
		if body, err := bodies.Read(c.event); err != nil || body.(RunPaused).Reason != c.want {
			t.Errorf("event %d says %+v, %v; want %q", c.event.Seq, body, err, c.want)
		}
	}
	if _, err := bodies.Read(strange); !errors.Is(err, ErrUnreadable) || len(bodies) != 2 {
		t.Errorf("an unknown event gives %v, remembered are %d", err, len(bodies))
	}
}
