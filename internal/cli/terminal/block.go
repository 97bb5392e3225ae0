package terminal

import (
	"fmt"
	"io"
	"strings"
)

// Block is a few lines at the bottom of a terminal that are drawn over and
// over. Its zero value with a writer is ready.
type Block struct {
	Out   io.Writer
	drawn int
}

// Draw replaces what was drawn before. Lines must fit the screen's width.
func (b *Block) Draw(lines []string) error {
	return b.write(strings.Join(lines, "\n")+"\n", len(lines))
}

// Print writes text for good, above the block, which must be drawn again.
func (b *Block) Print(text string) error { return b.write(text, 0) }

// Clear takes the block off the screen.
func (b *Block) Clear() error { return b.write("", 0) }

func (b *Block) write(text string, lines int) error {
	if b.drawn > 0 {
		text = fmt.Sprintf("\x1b[%dA\r\x1b[J", b.drawn) + text
	}
	b.drawn = lines
	_, err := io.WriteString(b.Out, text)
	return err
}
