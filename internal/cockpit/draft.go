package cockpit

import "github.com/stellwerk-dev/stellwerk/internal/draft"

// remark is a comment on a line that was not sent yet.
type remark struct {
	draft.Comment
	Old bool // another commit is shown now
}

// remarks are somebody's comments, beside the commit that is shown.
func remarks(list []draft.Comment, commit string) []remark {
	var all []remark
	for _, d := range list {
		all = append(all, remark{d, d.Commit != commit})
	}
	return all
}
