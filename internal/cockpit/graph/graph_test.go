package graph_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/cockpit/graph"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/track"
)

// many is work in waves, each piece of which waits for several before it.
func many(nodes, wave int) graph.Plan {
	p := graph.Plan{Title: "Work", Band: "Wave"}
	for i := range nodes {
		n := graph.Node{ID: fmt.Sprint("d", i), Label: fmt.Sprint("Piece ", i), Note: "scout", State: track.Passed, Href: "/x", Band: i/wave + 1}
		for _, back := range []int{1, wave, 2*wave + 3, 5 * wave} {
			if i >= back && i%3 != 0 {
				n.After = append(n.After, fmt.Sprint("d", i-back))
			}
		}
		p.Nodes = append(p.Nodes, n)
	}
	return p
}

func TestWellFormed(t *testing.T) {
	evil := `"><script>alert(1)</script>&`
	p := many(12, 4)
	p.Title, p.Band = evil, evil
	p.Nodes[3] = graph.Node{ID: "d3", Label: evil, Note: evil, Title: evil, Href: "/x?" + evil, State: track.Waiting, Stale: true, Band: 1}
	svg := string(graph.Draw(p))
	if strings.Contains(svg, "<script") {
		t.Error("a label became an element")
	}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("the drawing is not well-formed: %v", err)
		}
	}
}

// boxWidth is how wide a box is drawn.
const boxWidth = 220

// TestNoLineCrossesABox compares where lines pass rows with where the boxes are.
func TestNoLineCrossesABox(t *testing.T) {
	svg := string(graph.Draw(many(60, 7)))
	boxes := map[int][]int{} // left edges by upper edge
	for _, m := range regexp.MustCompile(`<path d="M(\d+) (\d+)h206`).FindAllStringSubmatch(svg, -1) {
		x, y := number(t, m[1]), number(t, m[2])
		boxes[y] = append(boxes[y], x-7)
	}
	passes := regexp.MustCompile(`M(\d+) (\d+)V`).FindAllStringSubmatch(svg, -1)
	if len(passes) == 0 || len(boxes) < 9 {
		t.Fatalf("%d lines pass %d rows", len(passes), len(boxes))
	}
	for _, m := range passes {
		x := number(t, m[1])
		for _, left := range boxes[number(t, m[2])] {
			if x > left && x < left+boxWidth {
				t.Errorf("a line at %d passes through the box from %d", x, left)
			}
		}
	}
	for y, row := range boxes {
		for i, a := range row {
			for _, b := range row[i+1:] {
				if a < b+boxWidth && b < a+boxWidth {
					t.Errorf("boxes at %d and %d of the row %d overlap", a, b, y)
				}
			}
		}
	}
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestAThousand is drawn in a time and a size that a page can bear, and no wider
// than a few boxes.
func TestAThousand(t *testing.T) {
	start := time.Now()
	svg := string(graph.Draw(many(1000, 20)))
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
	if len(svg) > 1_000_000 {
		t.Errorf("it has %d bytes", len(svg))
	}
	if n := strings.Count(svg, "<a "); n != 1000 {
		t.Errorf("%d of 1000 lead somewhere", n)
	}
	_, size, _ := strings.Cut(svg, " width=")
	var width, height int
	if _, err := fmt.Sscanf(size, `"%d" height="%d"`, &width, &height); err != nil || width > 1500 {
		t.Errorf("it is %d wide (%v)", width, err)
	}
	if !strings.Contains(svg, "not drawn") {
		t.Error("lines without room are not said")
	}
}

// TestOddPlans have circles, unknown names, and nothing at all.
func TestOddPlans(t *testing.T) {
	circle := graph.Plan{Nodes: []graph.Node{{ID: "a", After: []string{"b", "a", "gone"}}, {ID: "b", After: []string{"a", "a"}}, {ID: "a"}}}
	if n := strings.Count(string(graph.Draw(circle)), "<a "); n != 3 {
		t.Errorf("%d boxes", n)
	}
	if graph.Draw(graph.Plan{}) == "" {
		t.Error("nothing is not drawn")
	}
}
