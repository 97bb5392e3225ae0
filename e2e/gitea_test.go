package e2e

import (
	"net/http/httptest"
	"os"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stellwerk-dev/stellwerk/internal/forge/gitea/giteatest"
)

// giteaKey is where a scenario finds its Gitea.
type giteaKey struct{}

// giteaHost is a real Gitea with one repository.
type giteaHost struct {
	t    testing.TB // of all scenarios
	repo *giteatest.Repository
}

// scene is a scenario as what it starts sees it: that ends with the scenario.
type scene struct{ inside }

func (s scene) Cleanup(end func()) { s.ts.Defer(end) }

// giteas are:
//
//	gitea start DIR        a real Gitea with a repository of what DIR has committed. Its address goes into GITEA, the repository's
//	                       into GITEA_REPOSITORY, and the tokens of two accounts into the files stella.token and stuart.token
//	gitea pulls N          there are so many pull requests
//	gitea author N NAME    the account that opened a pull request
//	gitea merge N          somebody presses the button
func giteas() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){"gitea": plain(giteaCommand)}
}

func giteaCommand(ts *testscript.TestScript, args []string) {
	h, _ := ts.Value(giteaKey{}).(*giteaHost)
	t := scene{inside{h.t, ts}}
	if len(args) == 2 && args[0] == "start" {
		h.start(ts, t, ts.MkAbs(args[1]))
		return
	}
	if len(args) < 2 || h.repo == nil {
		ts.Fatalf("usage: gitea start DIR, then pulls N | author N NAME | merge N")
	}
	number, err := strconv.Atoi(args[1])
	ts.Check(err)
	switch {
	case args[0] == "pulls":
		if n := h.repo.Count(t); n != number {
			ts.Fatalf("there are %d pull requests, not %d", n, number)
		}
	case args[0] == "author" && len(args) == 3:
		if author := h.repo.Author(t, number); author != args[2] {
			ts.Fatalf("%s opened it, not %s", author, args[2])
		}
	case args[0] == "merge":
		h.repo.Merge(t, number)
	default:
		ts.Fatalf("unknown: gitea %s", args[0])
	}
}

func (h *giteaHost) start(ts *testscript.TestScript, t testing.TB, dir string) {
	server := giteatest.Start(t, giteatest.Program())
	h.repo = server.Repository(t, "rocket")
	line := httptest.NewServer(server)
	t.Cleanup(line.Close)
	h.repo.Fill(t, line.URL, dir)
	ts.Setenv("GITEA", line.URL)
	ts.Setenv("GITEA_REPOSITORY", line.URL+h.repo.Path())
	for account, token := range map[string]string{giteatest.Bot: h.repo.Token, giteatest.OtherBot: h.repo.OtherToken} {
		ts.Check(os.WriteFile(ts.MkAbs(account+".token"), []byte(token+"\n"), 0o600))
	}
}
