package tools

import (
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/registry"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
)

// person is somebody whose package managers are set to a mirror, by files of the home folder and by variables, and whose
// repositories know nothing of it.
func (f far) person(t *testing.T, files map[string]string, variables ...string) []string {
	t.Helper()
	home := t.TempDir()
	for name, text := range files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		shimtest.Write(t, path, text)
	}
	environ := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	if set := rustup(); set != "" {
		environ = append(environ, "RUSTUP_HOME="+set)
	}
	return append(environ, variables...)
}

// rustup is where this machine's cargo finds its real program, if it is one of rustup's.
func rustup() string {
	out, err := exec.Command("rustup", "show", "home").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// mirrored asks a person's tool, as a run does when it starts, and puts the answer into a trial. Nothing of it is secret.
func (f far) mirrored(t *testing.T, tr trial, preset string, environ []string) trial {
	t.Helper()
	answer, err := registry.Ask(t.Context(), preset, environ)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(answer.Hosts, []string{f.host}) {
		t.Fatalf("%s uses %q (%s)", preset, answer.Hosts, answer.Remark)
	}
	if text := fmt.Sprintf("%+v", answer); strings.Contains(text, "sesame") {
		t.Fatalf("a secret is handed in: %s", text)
	}
	tr.env, tr.network, tr.settings = f.env, f.listed(shim.Network{Allow: answer.Hosts}), shim.Settings(answer.Settings)
	return tr
}

// onlyWith tries a tool whose mirror is listed without the person's settings: it asks its default host, and is refused.
func (f far) onlyWith(t *testing.T, tr trial) {
	t.Helper()
	tr.settings = shim.Settings{}
	r := tr.run(t)
	if r.ok || len(r.hosts(true)) > 0 || len(r.hosts(false)) == 0 || r.took > atOnce {
		t.Errorf("without settings: ok is %v, after %v; %d hosts are on record as reached and %d as refused", r.ok, r.took, len(r.hosts(true)), len(r.hosts(false)))
	}
}

// npmRegistry has one package at /npm/ and one of a scope at /corp/. Nobody may log in there.
func npmRegistry(t *testing.T) far {
	t.Helper()
	files := map[string]func(http.ResponseWriter){} // by a path that npm escapes
	f := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Errorf("somebody logs in at %s", r.URL.Path)
		}
		if write := files[r.URL.Path]; write != nil {
			write(w)
			return
		}
		http.NotFound(w, r)
	})).named(t) // of an address, npm compares a certificate with another name
	for at, name := range map[string]string{"/npm/": "small", "/corp/": "@corp/small"} {
		archive := packed(t, map[string]string{
			"package/package.json": fmt.Sprintf(`{"name": %q, "version": "1.0.0"}`, name), "package/index.js": "module.exports = 'small'\n",
		})
		sum := sha512.Sum512(archive)
		files[at+name] = func(w http.ResponseWriter) {
			fmt.Fprintf(w, `{"name": %q, "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {"name": %[1]q, "version": "1.0.0",
				"dist": {"tarball": "%s%stgz", "integrity": "sha512-%s"}}}}`, name, f.link, at, base64.StdEncoding.EncodeToString(sum[:]))
		}
		files[at+"tgz"] = func(w http.ResponseWriter) { _, _ = w.Write(archive) }
	}
	return f
}

func TestNpmMirror(t *testing.T) {
	t.Parallel()
	need(t, "npm")
	f := npmRegistry(t)
	login := strings.Replace(f.link, "https://", "https://alice:sesame@", 1)
	person := f.person(t, map[string]string{".npmrc": "registry=" + login + "/npm/\n@corp:registry=" + f.link + "/corp/\n//" + f.host + "/npm/:_authToken=sesame\n"})
	tr := f.mirrored(t, trial{
		line:  "export npm_config_cafile=$NODE_EXTRA_CA_CERTS; npm install --no-audit --no-fund --loglevel=http small @corp/small && test -f node_modules/@corp/small/index.js && ! env | grep sesame",
		files: map[string]string{"package.json": `{"name": "app", "version": "1.0.0"}`},
	}, "npm", person)
	both(t, tr, f.host, true, "refused: it is not on the network list")
	f.onlyWith(t, tr)
}

// TestWhoseNpmRegistry: a repository's settings win over those of the person's home folder, the person's environment wins over
// the repository, and the playbook over all.
func TestWhoseNpmRegistry(t *testing.T) {
	t.Parallel()
	need(t, "npm")
	f := npmRegistry(t)
	const ask = "npm config get registry"
	repository := map[string]string{".npmrc": "registry=https://repository.example.com/\n", "package.json": "{}"}
	home := f.mirrored(t, trial{line: ask}, "npm", f.person(t, map[string]string{".npmrc": "registry=" + f.link + "/npm/\n"}))
	variable := f.mirrored(t, trial{line: ask, files: repository}, "npm", f.person(t, nil, "npm_config_registry="+f.link+"/npm/"))
	for want, tr := range map[string]trial{
		f.link + "/npm/":                  home,
		"https://repository.example.com/": {line: ask, files: repository, settings: home.settings},
		f.link + "/npm/ ":                 variable,
		"https://playbook.example.com/":   {line: ask, files: repository, settings: variable.settings, set: map[string]string{"NPM_CONFIG_REGISTRY": "https://playbook.example.com/"}},
	} {
		if got := tr.run(t).said; got != strings.TrimSpace(want) {
			t.Errorf("npm uses %q, want %q", got, want)
		}
	}
}

// moduleProxy has one module at /go/.
func moduleProxy(t *testing.T) far {
	t.Helper()
	const at, mod = "/go/example.com/small/@v/v1.0.0.", "module example.com/small\n"
	archive := zipped(t, map[string]string{"example.com/small@v1.0.0/go.mod": mod, "example.com/small@v1.0.0/small.go": "package small\n"})
	mux := http.NewServeMux()
	mux.HandleFunc(at+"info", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"Version": "v1.0.0"}`) })
	mux.HandleFunc(at+"mod", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, mod) })
	mux.HandleFunc(at+"zip", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(archive) })
	return serve(t, mux)
}

func TestGoMirror(t *testing.T) {
	t.Parallel()
	need(t, "go")
	f := moduleProxy(t).named(t)
	login := strings.Replace(f.link, "https://", "https://alice:sesame@", 1)
	person := f.person(t, map[string]string{".config/go/env": "GOPROXY=" + login + "/go,direct\nGOSUMDB=off\n"})
	module := func(path string) map[string]string {
		return map[string]string{"go.mod": "module app\n\ngo 1.21\n\nrequire " + path + " v1.0.0\n"}
	}
	tr := f.mirrored(t, trial{
		line:  "export GOFLAGS='-modcacherw -mod=mod'; go mod download example.com/small && test -f ~/go/pkg/mod/example.com/small@v1.0.0/small.go",
		files: module("example.com/small"),
	}, "go", person)
	both(t, tr, f.host, true, "refused: it is not on the network list")
	f.onlyWith(t, tr)

	// A module that the mirror does not have is looked for at its own host, which is not open.
	for path, said := range map[string]string{"example.org/absent": "refused: it is not on the network list", "github.com/absent/absent": "response 403"} {
		tr.line, tr.files = "export GOFLAGS=-mod=mod; go mod download "+path, module(path)
		r := tr.run(t)
		host, _, _ := strings.Cut(path, "/")
		if r.ok || r.took > atOnce || !slices.Equal(r.hosts(false), []string{host}) || !strings.Contains(r.said, said) {
			t.Errorf("a module elsewhere: ok is %v after %v, refused is %q, and Go says\n%s", r.ok, r.took, r.hosts(false), r.said)
		}
	}
}

func TestPipMirror(t *testing.T) {
	t.Parallel()
	python := needPip(t)
	f := pythonIndex(t)
	login := strings.Replace(f.link, "https://", "https://alice:sesame@", 1)
	tr := f.mirrored(t, trial{line: pipLine(python)}, "pip", f.person(t, map[string]string{".config/pip/pip.conf": "[global]\nindex-url = " + login + "/simple/\n"}))
	both(t, tr, f.host, true, "refused: it is not on the network list")
	f.onlyWith(t, tr)
}

func TestCargoMirror(t *testing.T) {
	t.Parallel()
	bin, shown := toolchain(t)
	f := crateIndex(t)
	tr := f.mirrored(t, trial{line: cargoLine(bin), files: cargoProject(), shown: shown}, "cargo",
		f.person(t, map[string]string{".cargo/config.toml": strings.Replace(f.cargoConfig(), "https://", "https://alice:sesame@", 1)}))
	both(t, tr, f.host, true, "response 403")
	f.onlyWith(t, tr)

	// Setup and checks share what cargo has fetched. A check that reaches nothing finds it under the mirror's name.
	cache := t.TempDir()
	tr.shared, tr.set = []string{cache}, map[string]string{"CARGO_HOME": filepath.Join(cache, "cargo")}
	tr.line = "PATH=" + bin + ":$PATH; cargo fetch"
	if r := tr.run(t); !r.ok || len(r.hosts(true)) != 1 {
		t.Errorf("a setup: %+v", r)
	}
	tr.line, tr.network = tr.line+" --offline", shim.Network{}
	if r := tr.run(t); !r.ok || len(r.rows) > 0 {
		t.Errorf("a check: %+v", r)
	}
}
