package wording

import "github.com/stellwerk-dev/stellwerk/internal/core"

// Next is what a person can type now.
func Next(r *core.Run) string {
	var code core.PauseCode
	if r.Pause != nil {
		code = r.Pause.Code
	}
	return Advice(code, r.Advice())
}

// Hint is what a person can type about an error.
func Hint(err error) string { return Advice("", core.AdviceOf(err)) }

// Advice is what a person can type, as a sentence. The code is that of the pause it
// is about, if it is about one.
func Advice(code core.PauseCode, a core.Advice) string {
	text := ""
	for _, p := range Parts(code, a) {
		text += p.Text
	}
	return text
}
