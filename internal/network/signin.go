package network

import (
	"bytes"
	"embed"
	"html/template"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/access"
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

//go:embed signin.html signin.js docs.html refused.html
var files embed.FS

// cookieName tells apart engines on one machine, whose browsers give each of
// them the cookies of all: ports do not separate cookies. Behind a proxy browsers
// do not see the engine's port, and several engines may be one site to them.
func (l *Listener) cookieName() string {
	if l.proxied {
		return "__Host-stellwerk"
	}
	port := 0
	if tcp, ok := l.Addr().(*net.TCPAddr); ok {
		port = tcp.Port
	}
	name := "stellwerk-" + strconv.Itoa(port)
	if l.secure {
		return "__Host-" + name
	}
	return name
}

func (s *server) cookieFor(value string, age int) *http.Cookie {
	return &http.Cookie{
		Name: s.cookie, Value: value, Path: "/", MaxAge: age,
		HttpOnly: true, Secure: s.listener.secure, SameSite: http.SameSiteStrictMode,
	}
}

// signedIn is who has signed in with the browser that asks. A browser that sends
// several cookies of the name was given one by somebody else, and is nobody.
func (s *server) signedIn(r *http.Request) (access.Identity, bool, error) {
	cookies := r.CookiesNamed(s.cookie)
	if len(cookies) != 1 {
		return access.Identity{}, false, nil
	}
	return s.Access.Session(r.Context(), cookies[0].Value)
}

// proofField is where a form carries what its browser proves itself by.
const proofField = "proof"

// proven lets pass what the browser says that signed in. Looking takes no proof.
func (s *server) proven(id access.Identity, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead && !id.Proves(r.PostFormValue(proofField)) {
			s.Log.Warn("a request had a session's cookie but not its proof", "name", id.Name, "from", sender(r, s.listener.proxied))
			s.showSignIn(w, http.StatusForbidden, signInView{
				Next: "/", Problem: "this browser cannot prove that it signed in", Hint: "sign out, then in again with a code: stellwerk cockpit",
				Written: written(r),
			})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// askToSignIn sends a browser that wants a page to the one where it signs in, gives
// back what somebody wrote whose session is over, and tells a script.
func (s *server) askToSignIn(w http.ResponseWriter, r *http.Request) {
	page := strings.Contains(r.Header.Get("Accept"), "text/html")
	switch {
	case page && r.Method == http.MethodGet:
		to := "/sign-in"
		if r.URL.Path != "/" {
			to += "?" + url.Values{"next": {r.URL.RequestURI()}}.Encode()
		}
		http.Redirect(w, r, to, http.StatusSeeOther)
	case page:
		s.showSignIn(w, http.StatusUnauthorized, signInView{
			Next: cameFrom(r), Problem: "you are no longer signed in; nothing was done", Hint: "sign in, look again, and repeat it", Written: giveBack(w, r),
		})
	default:
		writeText(w, http.StatusUnauthorized, "sign in first")
	}
}

// maxGivenBack bounds what somebody gets back who was not let in.
const maxGivenBack = 64 << 10

// giveBack is what somebody wrote into a form; empty if it cannot be read in
// time, or is too much.
func giveBack(w http.ResponseWriter, r *http.Request) string {
	r.Body = http.MaxBytesReader(w, r.Body, maxGivenBack)
	if err := r.ParseForm(); err != nil {
		return ""
	}
	return written(r)
}

// written are the words in a form that was sent.
func written(r *http.Request) string {
	var words []string
	for _, field := range []string{"goal", "text", "comment", "reason"} {
		if text := r.PostForm.Get(field); text != "" {
			words = append(words, text)
		}
	}
	return strings.Join(words, "\n\n")
}

// cameFrom is the page of this site that a form was sent from.
func cameFrom(r *http.Request) string {
	u, err := url.Parse(r.Referer())
	if err != nil || u.Host != r.Host {
		return "/"
	}
	return onward(u.RequestURI())
}

// signInView is what the page shows.
type signInView struct {
	Next    string
	Problem string
	Hint    string
	Ask     bool             // a code in the link is not sent before somebody says so
	Signed  *access.Identity // who has signed in with this browser already; nil for nobody
	Becomes *access.Identity // who they would be by Code
	Code    string
	Written string // was not taken, and is not to be lost
}

// signInPage asks for a code. Who has signed in already goes on, unless the link
// has another code: only the page sees that, and a redirect would carry it along
// in the address. A page of another site may have led here with a code of its
// own, to have somebody work under a name that is not theirs.
func (s *server) signInPage(w http.ResponseWriter, r *http.Request) {
	next := onward(r.URL.Query().Get("next"))
	from := r.Header.Get("Sec-Fetch-Site")
	view := signInView{Next: next, Ask: from == "cross-site" || from == "same-site"}
	id, ok, err := s.signedIn(r)
	if err != nil {
		refuseByPage(w, s.unsure(err))
		return
	}
	if ok {
		if r.Header.Get("Sec-Fetch-Mode") != "navigate" {
			http.Redirect(w, r, next, http.StatusSeeOther)
			return
		}
		view.Signed = &id
	}
	s.showSignIn(w, http.StatusOK, view)
}

// again is the page for who could not sign in.
func again(next string, p *api.Problem) signInView {
	return signInView{Next: next, Problem: p.Detail, Hint: p.Hint}
}

func (s *server) showSignIn(w http.ResponseWriter, status int, v signInView) {
	page(w, status, "signin.html", v)
}

func page(w http.ResponseWriter, status int, name string, v any) {
	var out bytes.Buffer
	t, err := template.ParseFS(files, name)
	if err == nil {
		err = t.Execute(&out, v)
	}
	if err != nil {
		writeText(w, http.StatusInternalServerError, "cannot show the page: "+err.Error())
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // the peer is gone; nobody is left to tell
}

// signIn takes a code. An address that has failed too often is refused even with
// a right one, except for this machine's own: a person shares that with agents,
// who could otherwise keep them out.
func (s *server) signIn(w http.ResponseWriter, r *http.Request) {
	from := sender(r, s.listener.proxied)
	wait := s.codes.wait(from)
	next := onward(r.PostFormValue("next"))
	if wait > 0 && !from.IsLoopback() {
		s.showSignIn(w, http.StatusTooManyRequests, again(next, tooOften(w, wait)))
		return
	}
	code := r.PostFormValue("code")
	v, asks, err := s.another(r, code)
	if err != nil {
		refuseByPage(w, s.unsure(err))
		return
	}
	if asks {
		v.Next = next
		s.showSignIn(w, http.StatusConflict, v)
		return
	}
	cookie, id, err := s.Access.SignIn(r.Context(), code, r.PostFormValue(proofField))
	if err != nil && wait > 0 {
		s.showSignIn(w, http.StatusTooManyRequests, again(next, tooOften(w, wait)))
		return
	}
	if err != nil {
		status := http.StatusServiceUnavailable
		if core.CodeOf(err) == core.CodeForbidden {
			status = http.StatusForbidden
			s.codes.failed(from)
			s.Log.Warn("a sign-in failed", "from", from)
		}
		s.showSignIn(w, status, signInView{Next: next, Problem: err.Error(), Hint: wording.Hint(err)})
		return
	}
	for _, c := range r.CookiesNamed(s.cookie) { // who the browser was before
		if err := s.Access.SignOut(r.Context(), c.Value); err != nil {
			s.Log.Warn("cannot end a replaced session", "error", err)
		}
	}
	s.SignedIn(code)
	s.Log.Info("somebody signed in", "name", id.Name, "role", id.Role, "from", from)
	http.SetCookie(w, s.cookieFor(cookie, int(access.AbsoluteLife.Seconds())))
	http.Redirect(w, r, next, http.StatusSeeOther)
}

// sureField says that somebody was asked who they want to be.
const sureField = "sure"

// another asks who has signed in already and sends a code of somebody else: a link
// may have come from anywhere, to have them work under a name that is not theirs.
func (s *server) another(r *http.Request, code string) (signInView, bool, error) {
	now, signed, err := s.signedIn(r)
	if err != nil || !signed || r.PostFormValue(sureField) == code {
		return signInView{}, false, err
	}
	then, known, err := s.Access.Whose(r.Context(), code)
	if err != nil || !known || then.Name == now.Name && then.Token == now.Token {
		return signInView{}, false, err
	}
	return signInView{Signed: &now, Becomes: &then, Code: code}, true, nil
}

// signOut ends the browser's session.
func (s *server) signOut(w http.ResponseWriter, r *http.Request) {
	for _, c := range r.CookiesNamed(s.cookie) {
		if err := s.Access.SignOut(r.Context(), c.Value); err != nil {
			writeText(w, http.StatusServiceUnavailable, "you are still signed in: "+err.Error())
			return
		}
	}
	http.SetCookie(w, s.cookieFor("", -1))
	w.Header().Set("Clear-Site-Data", `"cache"`)
	http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
}

// onward is where somebody goes who has signed in: a page of this site.
func onward(next string) string {
	u, err := url.Parse(next)
	if err != nil || !api.OwnPage(next) || strings.HasPrefix(u.Path, "/sign-") {
		return "/"
	}
	return next
}

func signInScript(w http.ResponseWriter, _ *http.Request) {
	script, err := files.ReadFile("signin.js")
	if err != nil {
		writeText(w, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	_, _ = w.Write(script) // the peer is gone; nobody is left to tell
}
