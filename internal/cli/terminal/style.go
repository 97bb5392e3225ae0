package terminal

import (
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Style says how much a screen can show.
type Style struct {
	Colour  bool
	Unicode bool
}

// Good is for what passed.
func (s Style) Good(text string) string { return s.paint(lipgloss.Green, text) }

// Bad is for what failed.
func (s Style) Bad(text string) string { return s.paint(lipgloss.Red, text) }

// Busy is for work under way.
func (s Style) Busy(text string) string { return s.paint(lipgloss.Yellow, text) }

// Asking is for what waits for a person.
func (s Style) Asking(text string) string { return s.paint(lipgloss.Magenta, text) }

// Faint is for what matters least.
func (s Style) Faint(text string) string {
	if !s.Colour || text == "" {
		return text
	}
	return lipgloss.NewStyle().Faint(true).Render(text)
}

// Strong is for what matters most.
func (s Style) Strong(text string) string {
	if !s.Colour || text == "" {
		return text
	}
	return lipgloss.NewStyle().Bold(true).Render(text)
}

func (s Style) paint(c color.Color, text string) string {
	if !s.Colour || text == "" {
		return text
	}
	return lipgloss.NewStyle().Foreground(c).Render(text)
}

// Glyph is the first form if the screen shows Unicode, otherwise the second.
func (s Style) Glyph(unicode, ascii string) string {
	if s.Unicode {
		return unicode
	}
	return ascii
}

// Width is how many columns text takes, colours apart.
func Width(text string) int { return ansi.StringWidth(text) }

// Pad fills text up with spaces to a number of columns.
func Pad(text string, columns int) string {
	return text + strings.Repeat(" ", max(0, columns-Width(text)))
}

// Fit cuts text to a number of columns, colours apart; 0 leaves it whole.
func (s Style) Fit(text string, columns int) string {
	if columns <= 0 {
		return text
	}
	return ansi.Truncate(text, columns, s.Glyph("…", "~"))
}
