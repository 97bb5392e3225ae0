package cockpit

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// sentForm is a form that was refused, with everything that it carried: what was
// shown stays what it is about.
type sentForm struct {
	Action string
	Words  []sentField // that a person wrote
	Others []sentField
	Again  bool   // sending it once more may help
	Back   string // page that it was sent from
}

type sentField struct{ Name, Label, Value string }

// refusedPage says why a word was refused, and loses nothing of it. A word about
// what has changed cannot be sent again as it is: the page has to be looked at.
func refusedPage(r *http.Request, err error) page {
	p := problemPage(err)
	labels := map[string]string{"goal": "Goal", "text": "What you wrote", "comment": "Comment", "reason": "Why?"}
	f := &sentForm{Action: r.URL.Path, Back: sentFrom(r)}
	for name, values := range r.PostForm {
		for _, value := range values {
			switch label, wrote := labels[name]; {
			case wrote && value != "":
				f.Words = append(f.Words, sentField{name, label, value})
			case name != "proof":
				f.Others = append(f.Others, sentField{Name: name, Value: value})
			}
		}
	}
	if len(f.Words) == 0 {
		return p
	}
	for _, list := range [][]sentField{f.Words, f.Others} {
		slices.SortStableFunc(list, func(a, b sentField) int { return cmp.Compare(a.Name, b.Name) })
	}
	code := core.CodeOf(err)
	f.Again = code != core.CodeConflict && code != core.CodeNotFound
	p.Body = f
	return p
}

// sentFrom is the page that a form was sent from.
func sentFrom(r *http.Request) string {
	if back := r.PostForm.Get("back"); api.OwnPage(back) {
		return back
	}
	u, err := url.Parse(r.Referer())
	if err != nil || u.Host != r.Host || !api.OwnPage(u.RequestURI()) {
		return "/inbox"
	}
	return u.RequestURI()
}
