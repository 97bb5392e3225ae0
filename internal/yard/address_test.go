package yard

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseAddress(t *testing.T) {
	for text, want := range map[string]Address{
		"/srv/shop":                       {Path: "/srv/shop"},
		"../shop":                         {Path: "../shop"},
		"./a:b":                           {Path: "./a:b"},
		"file:///srv/shop.git":            {Path: "/srv/shop.git"},
		"https://Git.Example.com/a/b/":    {URL: "https://git.example.com/a/b"},
		"http://127.0.0.1:3000/a/b.git":   {URL: "http://127.0.0.1:3000/a/b.git"},
		"ssh://git@example.com:2222/a/b":  {URL: "ssh://git@example.com:2222/a/b"},
		"git@example.com:team/shop.git":   {URL: "git@example.com:team/shop.git"},
		"example.com:shop":                {URL: "example.com:shop"},
		"https://example.com/a%20b/c.git": {}, // refused below: no forge has such a name
	} {
		got, err := ParseAddress(text)
		if (err != nil) != (want == Address{}) || got != want {
			t.Errorf("%s: %+v, %v, want %+v", text, got, err, want)
		}
	}
}

// TestHostileAddresses: nothing that git or ssh would take for a command or an
// option is an address, and nothing that holds a secret.
func TestHostileAddresses(t *testing.T) {
	const secret = "sw-t0ken-5f3a"
	for _, text := range []string{
		"", "-", "--upload-pack=touch /tmp/x", "-oProxyCommand=touch", "ext::sh -c touch% /tmp/x", "fd::3", "transport::https://example.com/a",
		"ssh://-oProxyCommand=touch/a/b", "ssh://-oProxyCommand=touch@example.com/a", "-oProxyCommand=x@example.com:a",
		"git@-oProxyCommand=x:a/b", "example.com:-oProxyCommand=x", "example.com:a b", "ssh://example.com/-x", "example.com:../../etc/shadow",
		"git://example.com/a", "ftp://example.com/a", "javascript://x/y", "https:///a", "https://example.com", "https://example.com/",
		"https://example.com/a/../../b", "file://example.com/a", "file:///srv/../etc", "file://relative", "https://example.com/a?x=1", "https://example.com/a#x",
		"https://example.com/a\nb", "https://example.com/a\x00", "https://exa mple.com/a",
		"https://user:" + secret + "@example.com/a", "https://" + secret + "@example.com/a", "ssh://git:" + secret + "@example.com/a",
	} {
		got, err := ParseAddress(text)
		if err == nil {
			t.Errorf("%q is taken as %+v", text, got)
		} else if strings.Contains(err.Error(), secret) {
			t.Errorf("%q: the secret is in %q", text, err)
		}
	}
}

func TestRemoteHead(t *testing.T) {
	dir, empty := person(t), folder(t)
	y := openYard(t)
	branch, err := y.RemoteHead(ctx(t), dir)
	must(t, err)
	equal(t, "branch", branch, "main")
	sh(t, dir, "git checkout -q --detach")
	branch, err = y.RemoteHead(ctx(t), dir)
	must(t, err)
	equal(t, "branch of a detached HEAD", branch, "")
	sh(t, empty, "git init -q")
	if _, err := y.RemoteHead(ctx(t), empty); !errors.Is(err, ErrNoCommits) {
		t.Errorf("without commits: %v", err)
	}
	if _, err := y.RemoteHead(ctx(t), filepath.Join(empty, "none")); !errors.Is(err, ErrUnreachable) {
		t.Errorf("without a repository: %v", err)
	}
}
