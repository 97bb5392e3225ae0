package github_test

import (
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/forgetest"
	"github.com/stellwerk-dev/stellwerk/internal/forge/github"
	"github.com/stellwerk-dev/stellwerk/internal/forge/github/githubtest"
)

const remote = "ssh://git@127.0.0.1:2222/Acme/rocket.git"

func connect(t *testing.T, base string, token forge.Secret, timeout time.Duration) forge.Forge {
	t.Helper()
	f, err := github.New(github.Options{BaseURL: base, Token: token, Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func start(*testing.T) forgetest.Server {
	double := githubtest.New(forgetest.NewLedger("acme", "rocket"), forgetest.Token)
	return forgetest.Server{
		Handler: double, Other: double.Ledger, Project: "p", Remote: remote, Token: forgetest.Token, Connect: connect,
	}
}

func TestGitHub(t *testing.T) { forgetest.RunHTTP(t, start) }
