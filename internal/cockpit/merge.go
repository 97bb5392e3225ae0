package cockpit

import (
	"net/http"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// merge brings what was shown into its base.
func (c *cockpit) merge(r *http.Request) (string, error) {
	req := api.Merge{Commit: r.PostForm.Get("commit"), Tip: r.PostForm.Get("tip")}
	if req.Commit == "" || req.Tip == "" {
		return "", core.Errorf(core.CodeInvalid, "the form does not say what was shown").WithHint("go back to the page, look again and decide there")
	}
	run, err := c.svc.Merge(r.Context(), r.PathValue("run"), req)
	return runPath(run.Alias), err
}
