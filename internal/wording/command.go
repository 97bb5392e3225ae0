package wording

import "strings"

// Part is a piece of what the engine advises: words, or something to be typed.
type Part struct {
	Text    string
	Typed   bool     // it stands for itself: a command, a setting, a file
	Command []string // the words after `stellwerk`, where it is a command of ours
}

// Parts takes advice apart, so that who has something better than a command to
// offer can put that in its place. All texts in a row are the advice, without the
// marks around what is typed.
func Parts(advice string) []Part {
	var parts []Part
	for i, text := range strings.Split(advice, "`") {
		p := Part{Text: text, Typed: i%2 == 1}
		if words := strings.Fields(text); p.Typed && len(words) > 1 && words[0] == "stellwerk" {
			p.Command = words[1:]
		}
		if text != "" {
			parts = append(parts, p)
		}
	}
	return parts
}
