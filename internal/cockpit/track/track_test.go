package track_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/cockpit/track"
)

func plan(sections int) track.Plan {
	p := track.Plan{From: "main", Title: "A run"}
	for i := range sections {
		p.Sections = append(p.Sections, track.Section{
			Title: fmt.Sprintf("Step %d", i), State: track.Passed,
			Lines: []track.Line{
				{Name: "left", State: track.Passed, Blocks: []track.Block{{Label: "code", State: track.Passed, Href: "/a"}}},
				{Name: "right", State: track.Under, Blocks: []track.Block{{Label: "code", State: track.Under, Href: "/b"}, {Label: "review", State: track.Ahead, Href: "/c"}}},
			},
			Signal: &track.Signal{Aspect: track.Stop, Href: "/gate", Title: "red"},
		})
	}
	return p
}

// TestWellFormed draws what others wrote, and it must stay text.
func TestWellFormed(t *testing.T) {
	evil := `"><script>alert(1)</script>&`
	p := plan(3)
	p.Title, p.From = evil, evil
	p.Sections[0].Title = evil
	p.Sections[0].Lines[0].Name = evil
	p.Sections[0].Lines[0].Blocks[0] = track.Block{Label: evil, Note: evil, Title: evil, Href: "/x?" + evil, State: track.Failed}
	p.Sections[0].Signal.Title = evil
	svg := string(track.Draw(p))
	if strings.Contains(svg, "<script") {
		t.Error("a label became an element")
	}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("the drawing is not well-formed: %v", err)
		}
	}
}

// TestEveryElementIsReached counts the links: each block and each signal leads
// somewhere.
func TestEveryElementIsReached(t *testing.T) {
	svg := string(track.Draw(plan(40)))
	if n := strings.Count(svg, "<a "); n != 40*4 {
		t.Errorf("%d links for 120 blocks and 40 signals", n)
	}
	if n := strings.Count(svg, "aria-label="); n != 40*4+1 {
		t.Errorf("%d names", n)
	}
}

func size(t *testing.T, svg string) (width, height int) {
	t.Helper()
	_, after, _ := strings.Cut(svg, " width=")
	if _, err := fmt.Sscanf(after, `"%d" height="%d"`, &width, &height); err != nil {
		t.Fatal(err)
	}
	return width, height
}

// TestRowsKeepItNarrow goes on below where a row is full.
func TestRowsKeepItNarrow(t *testing.T) {
	width, height := size(t, string(track.Draw(plan(40))))
	if width > 1300 || height < 1000 {
		t.Errorf("40 sections are drawn %d wide and %d high", width, height)
	}
	if track.Draw(track.Plan{}) == "" {
		t.Error("a run without stages has no drawing")
	}
}

// TestACrowdCanBeLookedOver: hundreds of tracks side by side lie in columns,
// without long curves, over which a browser takes many seconds; few keep theirs.
func TestACrowdCanBeLookedOver(t *testing.T) {
	p := plan(1)
	if n := strings.Count(string(track.Draw(p)), "C"); n != 3 {
		t.Errorf("two tracks, one of them back, have %d curves", n)
	}
	for range 250 {
		p.Sections[0].Lines = append(p.Sections[0].Lines, p.Sections[0].Lines[:2]...)
	}
	svg := string(track.Draw(p))
	if n := strings.Count(svg, "C"); n != 0 {
		t.Errorf("502 tracks have %d long curves", n)
	}
	if n := strings.Count(svg, "<a "); n != 1+3*251 {
		t.Errorf("%d links", n)
	}
	if width, height := size(t, svg); width > 1300 || height > 5000 {
		t.Errorf("502 tracks are drawn %d wide and %d high", width, height)
	}
}

// TestNothingOfACrowdIsOutside counts on every column being within the drawing.
func TestNothingOfACrowdIsOutside(t *testing.T) {
	for n := 2; n < 200; n++ {
		p := track.Plan{Sections: []track.Section{{}}}
		for i := range n {
			p.Sections[0].Lines = append(p.Sections[0].Lines, track.Line{Name: fmt.Sprint("step ", i), Blocks: make([]track.Block, 1+i%9)})
		}
		svg := string(track.Draw(p))
		width, height := size(t, svg)
		blocks := 0
		for _, rect := range strings.Split(svg, "<rect ")[1:] {
			var x, y, w, h int
			if _, err := fmt.Sscanf(rect, `x="%d" y="%d" width="%d" height="%d"`, &x, &y, &w, &h); err != nil {
				t.Fatal(err)
			}
			if x < 0 || y < 0 || x+w > width || y+h > height {
				t.Fatalf("%d tracks: a block at %d,%d is outside of %d×%d", n, x, y, width, height)
			}
			blocks++
		}
		if want := strings.Count(svg, "<a "); blocks != want || blocks < n {
			t.Fatalf("%d tracks have %d blocks and %d links", n, blocks, want)
		}
	}
}
