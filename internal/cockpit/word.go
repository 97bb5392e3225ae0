package cockpit

import (
	"net/http"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

// shownSubject is what the page showed when the button was pressed. The decision is
// about that, and is refused if it has changed since.
func shownSubject(r *http.Request) (*core.Subject, error) {
	shown := r.PostForm.Get("subject")
	if shown == "" {
		return nil, core.Errorf(core.CodeInvalid, "the form does not say what was shown").WithHint("go back to the page, look again and decide there")
	}
	subject := &core.Subject{}
	if err := strictjson.Unmarshal([]byte(shown), subject); err != nil {
		return nil, core.Wrap(core.CodeInvalid, err, "the form's record of what was shown cannot be read", "go back to the page, look again and decide there")
	}
	return subject, nil
}

// text is what a person wrote; an empty text is refused.
func text(r *http.Request) (string, error) {
	s := strings.TrimSpace(r.PostForm.Get("text"))
	if s == "" {
		return "", core.Errorf(core.CodeInvalid, "nothing was written").WithHint("say in a sentence what should change")
	}
	return s, nil
}

func (c *cockpit) approve(r *http.Request) (string, error) {
	subject, err := shownSubject(r)
	if err != nil {
		return "", err
	}
	run, err := c.svc.Approve(r.Context(), r.PathValue("run"), api.Approve{Subject: subject, Comment: r.PostForm.Get("comment"), Base: r.PostForm.Get("base"),
		WithSecrets: r.PostForm.Has("with_secrets")})
	return runPath(run.Alias), err
}

func (c *cockpit) feedback(r *http.Request) (string, error) {
	words, err := text(r)
	if err != nil {
		return "", err
	}
	if stage := r.PostForm.Get("stage"); stage != "" {
		return c.advise(r, stage, api.Rollback{Text: words})
	}
	subject, err := shownSubject(r)
	if err != nil {
		return "", err
	}
	run, err := c.svc.Feedback(r.Context(), r.PathValue("run"), api.Feedback{Subject: subject, Text: words, Reset: r.PostForm.Has("reset")})
	return runPath(run.Alias), err
}

func (c *cockpit) rollback(r *http.Request) (string, error) {
	if stage := r.PostForm.Get("stage"); stage != "" {
		return c.advise(r, stage, api.Rollback{To: r.PostForm.Get("to"), Text: strings.TrimSpace(r.PostForm.Get("text"))})
	}
	subject, err := shownSubject(r)
	if err != nil {
		return "", err
	}
	run, err := c.sendBack(r, r.PathValue("run"), api.Rollback{
		Subject: subject, To: r.PostForm.Get("to"), Text: strings.TrimSpace(r.PostForm.Get("text")), Reset: r.PostForm.Has("reset"),
	})
	return runPath(run.Alias), err
}

func (c *cockpit) pause(r *http.Request) (string, error) {
	run, err := c.svc.Pause(r.Context(), r.PathValue("run"), api.Pause{Reason: r.PostForm.Get("reason"), Stop: r.PostForm.Has("stop")})
	return runPath(run.Alias), err
}

func (c *cockpit) resume(r *http.Request) (string, error) {
	run, err := c.svc.Resume(r.Context(), r.PathValue("run"), api.Resume{})
	return runPath(run.Alias), err
}

func (c *cockpit) retry(r *http.Request) (string, error) {
	run, err := c.svc.Retry(r.Context(), r.PathValue("run"), api.Retry{})
	return runPath(run.Alias), err
}

// skip goes on without the stage that was shown.
func (c *cockpit) skip(r *http.Request) (string, error) {
	stage := r.PostForm.Get("stage")
	if stage == "" {
		return "", core.Errorf(core.CodeInvalid, "the form does not say what was shown").WithHint("go back to the page, look again and decide there")
	}
	run, err := c.svc.Skip(r.Context(), r.PathValue("run"), api.Skip{Stage: stage, Reason: r.PostForm.Get("reason")})
	return runPath(run.Alias), err
}

func (c *cockpit) cancel(r *http.Request) (string, error) {
	run, err := c.svc.Cancel(r.Context(), r.PathValue("run"), api.Cancel{Reason: r.PostForm.Get("reason")})
	return runPath(run.Alias), err
}

func (c *cockpit) answer(r *http.Request) (string, error) {
	words, err := text(r)
	if err != nil {
		return "", err
	}
	said, err := c.svc.Answer(r.Context(), r.PathValue("question"), api.Answer{Text: words})
	return runPath(said.Run.Alias), err
}

// merge brings what was shown into its base.
func (c *cockpit) merge(r *http.Request) (string, error) {
	req := api.Merge{Commit: r.PostForm.Get("commit"), Tip: r.PostForm.Get("tip")}
	if req.Commit == "" || req.Tip == "" {
		return "", core.Errorf(core.CodeInvalid, "the form does not say what was shown").WithHint("go back to the page, look again and decide there")
	}
	run, err := c.svc.Merge(r.Context(), r.PathValue("run"), req)
	return runPath(run.Alias), err
}
