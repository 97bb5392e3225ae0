package gitea_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/forgetest"
	"github.com/stellwerk-dev/stellwerk/internal/forge/gitea"
	"github.com/stellwerk-dev/stellwerk/internal/forge/gitea/giteatest"
)

func connect(t *testing.T, base string, token forge.Secret, timeout time.Duration) forge.Forge {
	t.Helper()
	f, err := gitea.New(gitea.Options{BaseURL: base, Token: token, Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestRealGitea(t *testing.T) {
	folder := giteatest.Program()
	if folder == "" {
		t.Skip("no Gitea on this machine: giteatest/build.sh builds one")
	}
	real := giteatest.Start(t, folder)
	var last atomic.Int64
	forgetest.RunHTTP(t, func(t *testing.T) forgetest.Server {
		repo := real.Repository(t, fmt.Sprintf("rocket-%d", last.Add(1)))
		return forgetest.Server{
			Handler: real, Other: repo, Project: "p", Remote: "http://127.0.0.1/" + repo.Owner + "/" + repo.Name + ".git",
			Token: repo.Token, Connect: connect,
		}
	})
}

func TestGiteaDouble(t *testing.T) {
	forgetest.RunHTTP(t, func(*testing.T) forgetest.Server {
		double := giteatest.NewDouble(forgetest.NewLedger("acme", "rocket"), forgetest.Token)
		return forgetest.Server{
			Handler: double, Other: double.Ledger, Project: "p", Remote: "git@127.0.0.1:acme/rocket.git", Token: forgetest.Token, Connect: connect,
		}
	})
}

// TestAForksBranchIsNotOurs has a pull request of a fork's branch of the same
// name, beside one of ours that was closed.
func TestAForksBranchIsNotOurs(t *testing.T) {
	double := giteatest.NewDouble(forgetest.NewLedger("acme", "rocket"), forgetest.Token)
	line := forgetest.NewLine(t, double)
	s := forgetest.Setup{
		Forge: connect(t, line.URL, forge.NewSecret(forgetest.Token), time.Minute), Other: double.Ledger, Remote: "git@127.0.0.1:acme/rocket.git",
	}
	double.Do(func(b *forgetest.Books) {
		b.Create(forgetest.Pull{Title: "t", Head: "feature/y", Base: forgetest.Base}).State = forge.Closed
		b.Create(forgetest.Pull{Title: "t", Head: "feature/y", Base: forgetest.Base, Fork: "mallory"})
	})
	_, number, err := s.Forge.Open(t.Context(), s.Request("feature/y", s.Other.Push(t, "feature/y")))
	if err != nil || number != 3 {
		t.Errorf("number %d, %v", number, err)
	}
}
