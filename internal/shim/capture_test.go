package shim

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// collectLines feeds input in pieces and returns the lines, with cuts and gaps written into them.
func collectLines(head int64, pieces ...[]byte) ([]string, *capture) {
	var got []string
	c := &capture{
		head: head, redact: func(text string) string { return text },
		line: func(text []byte, cut int64) {
			if cut > 0 {
				got = append(got, fmt.Sprintf("%d+%d", len(text), cut))
				return
			}
			got = append(got, string(text))
		},
		gap: func(n int64) { got = append(got, fmt.Sprintf("gap %d", n)) },
	}
	for _, p := range pieces {
		c.write(p)
	}
	c.close()
	return got, c
}

func TestCaptureGivesTheSameLinesHoweverTheyArrive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]byte("ab\n")), 0, 200).Draw(t, "text")
		var pieces [][]byte
		for rest := text; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		got, c := collectLines(int64(rapid.IntRange(1, 300).Draw(t, "head")), pieces...)
		want := strings.Split(string(text), "\n")
		if want[len(want)-1] == "" {
			want = want[:len(want)-1]
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") || len(got) != len(want) {
			t.Fatalf("got %q, want %q", got, want)
		}
		if c.total != int64(len(text)) || c.dropped != 0 {
			t.Fatalf("total %d, dropped %d", c.total, c.dropped)
		}
	})
}

// TestTheEndOfAFloodIsRedactedInOnePiece: a secret may have many lines.
func TestTheEndOfAFloodIsRedactedInOnePiece(t *testing.T) {
	var got []string
	c := &capture{
		head: 10, line: func(text []byte, _ int64) { got = append(got, string(text)) }, gap: func(int64) {},
		redact: func(text string) string { return strings.ReplaceAll(text, "open\nsesame", "[redacted]") },
	}
	c.write([]byte("first line\n"))
	c.write([]byte("and open\nsesame\n"))
	c.close()
	if want := []string{"first line", "and [redacted]"}; !slices.Equal(got, want) {
		t.Errorf("kept %q, want %q", got, want)
	}
}

func TestCaptureKeepsBeginningAndEnd(t *testing.T) {
	middle := bytes.Repeat([]byte("middle\n"), tailBytes)
	got, c := collectLines(10, []byte("first line\n"), middle, []byte("last line"))
	if got[0] != "first line" || !strings.HasPrefix(got[1], "gap ") || got[len(got)-1] != "last line" || len(got) != 2+tailLines {
		t.Errorf("got %d lines: %q … %q", len(got), got[:3], got[len(got)-1])
	}
	kept := int64(len("first line\n") + (tailLines-1)*len("middle\n") + len("last line"))
	if c.total-c.dropped != kept {
		t.Errorf("total %d, dropped %d: %d kept, want %d", c.total, c.dropped, c.total-c.dropped, kept)
	}
}

func TestCaptureCountsLines(t *testing.T) {
	got, _ := collectLines(1<<40, bytes.Repeat([]byte("\n"), maxLines+5*tailLines))
	if len(got) != maxLines+1+tailLines {
		t.Errorf("%d lines", len(got))
	}
}

func TestCaptureOfOneEndlessLine(t *testing.T) {
	piece := bytes.Repeat([]byte("x"), 1<<20)
	var pieces [][]byte
	for range 8 {
		pieces = append(pieces, piece)
	}
	got, c := collectLines(100, pieces...)
	if len(got) != 1 || got[0] != fmt.Sprintf("%d+%d", maxLine+overlap, 8<<20-maxLine-overlap) || c.dropped != 8<<20-maxLine {
		t.Errorf("got %q, dropped %d", got, c.dropped)
	}
}

func TestRingWithoutAWholeLine(t *testing.T) {
	r := newRing(8)
	r.write([]byte("0123456789abcdef"))
	if got := r.lastLines(5); len(got) != 0 {
		t.Errorf("got %q", got)
	}
	r.write([]byte("\nyz"))
	if got := r.lastLines(5); string(got) != "yz" {
		t.Errorf("got %q", got)
	}
}
