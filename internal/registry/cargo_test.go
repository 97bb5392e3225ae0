package registry

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// copied is the folder of an index that cargo has used.
func copied(t *testing.T, home, name, config string) {
	t.Helper()
	write(t, 0o644, config, home, "registry", "index", name, "config.json")
}

const replaced = `[source.crates-io]
registry = "https://unused.example.com/index"
replace-with = "mirror"
[source.mirror]
`

// What is configured is read without starting cargo.
func TestCargoConfiguration(t *testing.T) {
	const unused = "cargo has not used mirror.example.com"
	for name, c := range map[string]struct {
		file, variable string
		remark         string
		hosts          []string
	}{
		"a mirror":                 {replaced + `registry = "sparse+https://mirror.example.com/index/"`, "", unused, []string{"mirror.example.com"}},
		"a mirror that was used":   {replaced + `registry = "sparse+http://used.example.com:8080/index/"`, "", "", []string{"crates.example.com:8443", "used.example.com:8080"}},
		"a folder":                 {replaced + `directory = "/srv/vendor"`, "", "use no host", nil},
		"a local registry":         {replaced + `local-registry = "/srv/registry"`, "", "use no host", nil},
		"by way of another":        {replaced + "replace-with = 'last'\n[source.last]\nregistry = 'https://mirror.example.com/git/index'", "", unused, []string{"mirror.example.com"}},
		"a registry as source":     {"[source.crates-io]\nreplace-with = 'my-mirror'\n[registries.my-mirror]\nindex = 'sparse+https://mirror.example.com/'", "", unused, []string{"mirror.example.com"}},
		"a registry in a variable": {"[source.crates-io]\nreplace-with = 'my-mirror'", "CARGO_REGISTRIES_MY_MIRROR_INDEX=sparse+https://mirror.example.com/", unused, []string{"mirror.example.com"}},
		"a variable wins": {"[source.crates-io]\nreplace-with = 'corp'\n[registries.corp]\nindex = 'https://file.example.com'",
			"CARGO_REGISTRIES_CORP_INDEX=https://mirror.example.com", unused, []string{"mirror.example.com"}},
		"more registries": {replaced + "registry = 'sparse+https://used.example.com/'\n[registries]\ncorp = { index = 'ssh://corp.example.com/index' }",
			"", "cargo has not used corp.example.com:22", []string{"corp.example.com:22", "crates.example.com:8443", "used.example.com"}},
		"by git":           {"[registries.crates-io]\nprotocol = 'git'", "", "by git", nil},
		"by git, variable": {"", "CARGO_REGISTRIES_CRATES_IO_PROTOCOL=git", "by git", nil},
		"a circle":         {replaced + `replace-with = "crates-io"`, "", "in a circle", nil},
		"a missing name":   {"[source.crates-io]\nreplace-with = 'gone'", "", "does not define", nil},
		"not TOML":         {"[registries\ntoken = 'sesame'", "", "config.toml is not valid", nil},
		"nonsense":         {replaced + `registry = "https://alice:sesame@*/"`, "", "the address of a registry is not an address", nil},
	} {
		t.Run(name, func(t *testing.T) {
			environ := standIn(t, "cargo", "exit 9")
			home := t.TempDir()
			write(t, 0o600, c.file+"\n", home, "config.toml")
			copied(t, home, "used.example.com-0123456789abcdef", `{"dl":"https://crates.example.com:8443/api/v1/{crate}","api":"https://publish.example.com"}`)
			copied(t, home, "used.example.com-more.example.com-0123456789abcdef", `{"dl":"https://foreign.example.com"}`)
			copied(t, home, "mirror.example.com-0123456789abcdef", `{"dl":""}`)
			expect(t, "cargo", append(environ, "CARGO_HOME="+home, c.variable), c.remark, c.hosts...)
		})
	}
}

// What replaces the default registry, and the other registries, are handed in as a file; what the environment has, as
// variables.
func TestCargoInside(t *testing.T) {
	environ := standIn(t, "cargo", "exit 9")
	home := t.TempDir()
	write(t, 0o600, `[source.crates-io]
replace-with = "mid"
[source.mid]
registry = "https://unused.example.com/index"
replace-with = "my-mirror"
[source."https://git.example.com/other"]
git = "https://git.example.com/other"
replace-with = "vendored"
[source.vendored]
directory = "/srv/vendor"
[registries.my-mirror]
index = "sparse+https://alice:sesame@mirror.example.com/index/"
[registries.corp]
index = "sparse+https://corp.example.com/index/"
token = "sesame"
[registries.team]
index = "sparse+https://team.example.com/"
[net]
retry = 9
`, home, "config.toml")
	write(t, 0o600, "[registries.team]\ntoken = 'sesame'\n[registry]\ntoken = 'sesame'\n", home, "credentials.toml")
	for _, host := range []string{"mirror", "corp", "team", "more"} {
		copied(t, home, host+".example.com-0123456789abcdef", `{"dl":"https://`+host+`.example.com/dl"}`)
	}
	environ = append(environ, "CARGO_HOME="+home, "CARGO_REGISTRIES_MORE_INDEX=sparse+https://alice:sesame@more.example.com/", "CARGO_REGISTRIES_MORE_TOKEN=sesame", "CARGO_REGISTRY_TOKEN=sesame")
	got := expect(t, "cargo", environ, noLogin+"corp.example.com, mirror.example.com, more.example.com, team.example.com", "corp.example.com", "mirror.example.com", "more.example.com", "team.example.com")
	handsIn(t, got, map[string]string{
		"CARGO_REGISTRIES_MORE_INDEX": "sparse+https://more.example.com/",
		".cargo/config.toml": `[source."crates-io"]
replace-with = "mid"
[source."mid"]
registry = "https://unused.example.com/index"
replace-with = "my-mirror"
[registries."corp"]
index = "sparse+https://corp.example.com/index/"
[registries."my-mirror"]
index = "sparse+https://mirror.example.com/index/"
[registries."team"]
index = "sparse+https://team.example.com/"
`,
	})
}

// Cargo prefers the older name, and looks in the home folder unless it is told another one.
func TestCargoOlderName(t *testing.T) {
	environ := standIn(t, "cargo", "exit 9")
	home := strings.TrimPrefix(environ[0], "HOME=")
	write(t, 0o600, replaced+`registry = "https://new.example.com"`, home, ".cargo", "config.toml")
	expect(t, "cargo", environ, "has not used new.example.com", "new.example.com")
	write(t, 0o600, replaced+`registry = "https://old.example.com"`, home, ".cargo", "config")
	expect(t, "cargo", environ, "has not used old.example.com", "old.example.com")
	expect(t, "cargo", environ[1:], "neither CARGO_HOME nor HOME")
}

// What the real cargo asks for if it is set to nothing, compared with what it complains about when it gets no answer. A copy
// of another index, as any project may have left one, opens nothing.
func TestCargoDefault(t *testing.T) {
	need(t, "cargo")
	repository(t)
	home, environ := person(t)
	cargo := filepath.Join(home, ".cargo")
	copied(t, cargo, "other.example.com-0123456789abcdef", `{"dl":"https://other.example.com/dl"}`)
	got, err := Ask(t.Context(), "cargo", environ)
	if err != nil || len(got.Hosts) != 1 || !strings.Contains(got.Remark, "run `cargo fetch` once") {
		t.Fatalf("%+v, %v", got, err)
	}
	complaint := fetch(t, append(environ, "CARGO_HTTP_PROXY=http://127.0.0.1:1", "CARGO_NET_RETRY=0"))
	if !strings.Contains(complaint, "https://"+got.Hosts[0]+"/") {
		t.Errorf("cargo uses %q, and complains: %s", got.Hosts, complaint)
	}
	copied(t, cargo, got.Hosts[0]+"-0123456789abcdef", `{"dl":"https://zz.example.com/dl"}`)
	handsIn(t, expect(t, "cargo", environ, "", got.Hosts[0], "zz.example.com"), nil)
}

// The real cargo leaves behind where an index has its crates.
func TestCargoCopy(t *testing.T) {
	need(t, "cargo")
	index := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/config.json" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(`{"dl":"https://crates.example.com/dl","api":"https://publish.example.com"}`))
	}))
	defer index.Close()
	home, environ := person(t)
	address := strings.TrimPrefix(index.URL, "http://")
	write(t, 0o600, replaced+`registry = "sparse+`+index.URL+`/"`, home, ".cargo", "config.toml")
	expect(t, "cargo", environ, "cargo has not used "+address, address)
	if complaint := fetch(t, environ); !strings.Contains(complaint, "no matching package") {
		t.Fatalf("cargo did not read the index: %s", complaint)
	}
	expect(t, "cargo", environ, "", address, "crates.example.com")
}

// fetch is what cargo says when it fails to fetch a crate that is not there.
func fetch(t *testing.T, environ []string) string {
	t.Helper()
	manifest := filepath.Join(t.TempDir(), "Cargo.toml")
	write(t, 0o600, wanting, manifest)
	cmd := exec.Command(need(t, "cargo"), "fetch", "--manifest-path", manifest)
	cmd.Dir, cmd.Env = nowhere, environ
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("cargo found the crate: %s", out)
	}
	return string(out)
}

// Nothing of the question stays behind.
func TestCargoLeavesNothing(t *testing.T) {
	need(t, "cargo")
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	home, environ := person(t)
	if _, err := Ask(t.Context(), "cargo", environ); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{dir, home} {
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("%s: %v, %v", folder, left, err)
		}
	}
}
