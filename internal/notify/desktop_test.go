package notify

import (
	"slices"
	"testing"
)

// TestDesktopSounds: what waits and what is over sound differently, and no text is
// part of a script.
func TestDesktopSounds(t *testing.T) {
	for _, tt := range []struct {
		system string
		kinds  []string
		want   string
	}{
		{"linux", []string{"approval"}, "--hint=string:sound-name:message-new-instant"},
		{"linux", []string{KindEnded}, "--hint=string:sound-name:complete"},
		{"linux", []string{KindEnded, "question"}, "--hint=string:sound-name:message-new-instant"},
		{"darwin", []string{"pause"}, "Ping"},
		{"darwin", []string{KindEnded}, "Glass"},
	} {
		m := Message{Title: "title", Text: `"; evil`}
		for _, kind := range tt.kinds {
			m.Notices = append(m.Notices, Notice{Kind: kind})
		}
		argv := command(tt.system, m)
		texts := slices.Index(argv, "--")
		if !slices.Contains(argv, tt.want) || texts < 0 || !slices.Equal(argv[texts+1:texts+3], []string{m.Title, m.Text}) {
			t.Errorf("%s %v: %q", tt.system, tt.kinds, argv)
		}
	}
}
