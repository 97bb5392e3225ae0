package registry

import (
	"os"
	"path/filepath"
	"testing"
)

func TestGo(t *testing.T) {
	need(t, "go")
	for name, c := range map[string]struct {
		proxy, sums, private string
		remark               string
		hosts                []string
	}{
		"a mirror": {"https://mirror.example.com/go", "off", "", "", []string{"mirror.example.com"}},
		"a list": {"https://alice:sesame@a.example.com|http://b.example.com:3000,direct", "sums.example.com", "",
			"`direct`, which opens nothing", []string{"a.example.com", "b.example.com:3000", "sums.example.com"}},
		"a name without scheme":   {"mirror.example.com", "off", "", "", []string{"mirror.example.com"}},
		"a database with a key":   {"https://a.example.com", "sums.example.com+0123abcd+AbCd", "", "", []string{"a.example.com", "sums.example.com"}},
		"a database with address": {"https://a.example.com", "sums.example.com+0123abcd+AbCd http://alice:sesame@s.example.com/sums", "", "", []string{"a.example.com", "s.example.com:80"}},
		"direct":                  {"direct", "sums.example.com", "", "`direct`, which opens nothing", []string{"sums.example.com"}},
		"off":                     {"off", "sums.example.com", "", "fetches no modules", nil},
		"a folder":                {"file:///srv/modules", "off", "", "use no host", nil},
		"private modules":         {"https://a.example.com", "off", "git.example.com/*", "GOPRIVATE or GONOPROXY", []string{"a.example.com"}},
		"nonsense":                {"https://alice:sesame@*", "off", "", "GOPROXY is not an address", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, environ := person(t, "GOPROXY="+c.proxy, "GOSUMDB="+c.sums, "GOPRIVATE="+c.private)
			expect(t, "go", environ, c.remark, c.hosts...)
		})
	}
}

// What a person has set with `go env -w` counts, but for another version of Go, which would be fetched. What a repository
// says does not.
func TestGoFile(t *testing.T) {
	need(t, "go")
	repository(t)
	home, environ := person(t)
	file := filepath.Join(home, "settings")
	write(t, 0o600, "GOPROXY=https://mirror.example.com\nGOSUMDB=off\nGOTOOLCHAIN=go9.99.9\n", file)
	expect(t, "go", append(environ, "GOENV="+file), "", "mirror.example.com")
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
