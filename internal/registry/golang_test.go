package registry

import (
	"os"
	"path/filepath"
	"testing"
)

// gopher is a person whose go does not count what it does: it would go on counting in the home when it has ended.
func gopher(t *testing.T, variables ...string) (home string, environ []string) {
	t.Helper()
	home, environ = person(t, variables...)
	write(t, 0o644, "off", home, ".config", "go", "telemetry", "mode")
	return home, environ
}

func TestGo(t *testing.T) {
	need(t, "go")
	for name, c := range map[string]struct {
		proxy, sums, private string
		remark               string
		hosts                []string
	}{
		"a mirror": {"https://mirror.example.com/go", "off", "", "", []string{"mirror.example.com"}},
		"a list": {"https://alice:sesame@a.example.com|http://b.example.com:3000,direct", "sums.example.com", "",
			noLogin + "a.example.com", []string{"a.example.com", "b.example.com:3000", "sums.example.com"}},
		"a name without scheme":   {"mirror.example.com", "off", "", "", []string{"mirror.example.com"}},
		"a database with a key":   {"https://a.example.com", "sums.example.com+0123abcd+AbCd", "", "", []string{"a.example.com", "sums.example.com"}},
		"a database with address": {"https://a.example.com", "sums.example.com+0123abcd+AbCd http://alice:sesame@s.example.com/sums", "", noLogin + "s.example.com:80", []string{"a.example.com", "s.example.com:80"}},
		"direct":                  {"direct", "sums.example.com", "", "`direct`, which opens no hosts", []string{"sums.example.com"}},
		"off":                     {"off", "sums.example.com", "", "fetches no modules", nil},
		"a folder":                {"file:///srv/modules", "off", "", "use no host", nil},
		"private modules":         {"https://a.example.com", "off", "git.example.com/*", "GOPRIVATE or GONOPROXY", []string{"a.example.com"}},
		"nonsense":                {"https://alice:sesame@*", "off", "", "GOPROXY is not an address", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, environ := gopher(t, "GOPROXY="+c.proxy, "GOSUMDB="+c.sums, "GOPRIVATE="+c.private)
			expect(t, "go", environ, c.remark, c.hosts...)
		})
	}
}

// What Go has to be told inside is what differs from its defaults.
func TestGoInside(t *testing.T) {
	need(t, "go")
	for name, c := range map[string]struct {
		variables []string
		remark    string
		hosts     []string
		want      map[string]string
	}{
		"a list": {[]string{"GOPROXY=https://alice:sesame@a.example.com/go?key=sesame|http://b.example.com:3000,file:///srv/modules,direct", "GOSUMDB=off"},
			"`direct`, which opens no hosts", []string{"a.example.com", "b.example.com:3000"},
			map[string]string{"GOPROXY": "https://a.example.com/go|http://b.example.com:3000,file:///srv/modules,direct", "GOSUMDB": "off"}},
		"what cannot be read is left out": {[]string{"GOPROXY=https://alice:sesame@*,https://b.example.com", "GOSUMDB=off"}, "GOPROXY is not an address", []string{"b.example.com"},
			map[string]string{"GOPROXY": "https://b.example.com", "GOSUMDB": "off"}},
		"a database": {[]string{"GOPROXY=https://b.example.com", "GOSUMDB=sums.example.com+0123abcd+AbCd https://alice:sesame@s.example.com/sums"}, noLogin + "s.example.com",
			[]string{"b.example.com", "s.example.com"},
			map[string]string{"GOPROXY": "https://b.example.com", "GOSUMDB": "sums.example.com+0123abcd+AbCd https://s.example.com/sums"}},
		"a database with a secret": {[]string{"GOPROXY=https://b.example.com", "GOSUMDB=alice:sesame@s.example.com"}, noLogin + "s.example.com", []string{"b.example.com", "s.example.com"},
			map[string]string{"GOPROXY": "https://b.example.com"}},
		"private modules": {[]string{"GOPROXY=https://b.example.com", "GOSUMDB=off", "GOPRIVATE=git.example.com/*", "GONOSUMDB=example.org", "GOINSECURE=git.example.com"}, "GOPRIVATE",
			[]string{"b.example.com"},
			map[string]string{"GOPROXY": "https://b.example.com", "GOSUMDB": "off", "GOPRIVATE": "git.example.com/*", "GONOSUMDB": "example.org", "GOINSECURE": "git.example.com"}},
		"off": {[]string{"GOPROXY=off", "GOSUMDB=s https://alice:sesame@s.example.com"}, "fetches no modules", nil, map[string]string{"GOPROXY": "off"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, environ := gopher(t, c.variables...)
			handsIn(t, expect(t, "go", environ, c.remark, c.hosts...), c.want)
		})
	}
}

func TestGoDefaultInside(t *testing.T) {
	need(t, "go")
	_, environ := gopher(t)
	got, err := Ask(t.Context(), "go", environ)
	if err != nil || len(got.Hosts) == 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	handsIn(t, got.Settings, nil)
}

// What a person has set with `go env -w` counts, but for another version of Go, which would be fetched. What a repository
// says does not.
func TestGoFile(t *testing.T) {
	need(t, "go")
	repository(t)
	home, environ := gopher(t)
	file := filepath.Join(home, "settings")
	write(t, 0o600, "GOPROXY=https://mirror.example.com\nGOSUMDB=off\nGOTOOLCHAIN=go9.99.9\n", file)
	handsIn(t, expect(t, "go", append(environ, "GOENV="+file), "", "mirror.example.com"),
		map[string]string{"GOPROXY": "https://mirror.example.com", "GOSUMDB": "off"})
}

// repository makes the test run inside a project whose files name a host of its own for every tool. It is also the folder
// for temporary files.
func repository(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	const host = "https://repository.example.com/"
	write(t, 0o644, "module example.com/m\n\ngo 9.99\n\ntoolchain go9.99.9\n", dir, "go.mod")
	write(t, 0o644, "{}", dir, "package.json")
	write(t, 0o644, "registry="+host+"\n@corp:registry="+host+"\n", dir, ".npmrc")
	write(t, 0o644, "[global]\nindex-url="+host+"\n", dir, "pip.conf")
	write(t, 0o644, "raise SystemExit(4)\n", dir, "pip.py")
	write(t, 0o644, "9.99\n", dir, ".python-version")
	write(t, 0o644, "[source.crates-io]\nreplace-with='r'\n[source.r]\nregistry='sparse+"+host+"'\n[http]\nproxy='repository.example.com'\n", dir, ".cargo", "config.toml")
	write(t, 0o644, "[workspace]\nmembers=['*']\n[patch.crates-io]\nany={git='"+host+"any'}\n", dir, "Cargo.toml")
	write(t, 0o644, "[toolchain]\nchannel='1.0.0'\n", dir, "rust-toolchain.toml")
	temporary := filepath.Join(dir, "tmp")
	if err := os.Mkdir(temporary, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temporary)
	t.Chdir(dir)
}
