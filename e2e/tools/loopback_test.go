package tools

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/githttptest"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
)

// listed adds the person's word that the server may be where it is.
func (f far) listed(network shim.Network) shim.Network {
	network.Private = []string{f.host + "=127.0.0.2"}
	return network
}

func TestGit(t *testing.T) {
	t.Parallel()
	git := need(t, "git")
	root := t.TempDir()
	run := func(args ...string) string {
		cmd := exec.Command(git, args...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=T", "GIT_AUTHOR_EMAIL=t@example.invalid",
			"GIT_COMMITTER_NAME=T", "GIT_COMMITTER_EMAIL=t@example.invalid")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("init", "--quiet", "source")
	run("-C", "source", "commit", "--quiet", "--allow-empty", "--message", "first")
	run("clone", "--quiet", "--bare", "source", "lib.git")
	handler, err := githttptest.Handler(t.Context(), root, "")
	if err != nil {
		t.Skip(err)
	}
	f := serve(t, handler)
	both(t, trial{
		line: "git clone " + f.link + "/lib.git && git -C lib log --oneline", env: f.env,
		network: f.listed(shim.Network{Allow: []string{f.host}}),
	}, f.host, true, "response 403")
}

func TestPip(t *testing.T) {
	t.Parallel()
	python := needPip(t)
	f := pythonIndex(t)
	index := "PIP_INDEX_URL=" + f.link + "/simple/"
	both(t, trial{
		line: fmt.Sprintf("export %s; %s", index, pipLine(python)),
		env:  f.env, network: f.listed(preset(t, "pip", index, "PIP_FIND_LINKS=")),
	}, f.host, true, "refused: it is not on the network list")
}

// needPip is a Python that has pip.
func needPip(t *testing.T) string {
	t.Helper()
	python := need(t, "python3")
	if out, err := exec.Command(python, "-m", "pip", "--version").CombinedOutput(); err != nil {
		t.Skipf("%s has no pip: %s", python, out)
	}
	return python
}

// pipLine installs the package of pythonIndex.
func pipLine(python string) string {
	return "export PIP_DISABLE_PIP_VERSION_CHECK=1; " + python + " -m pip install --target=got small && cat got/small.py"
}

// pythonIndex is an index of one package, at /simple/.
func pythonIndex(t *testing.T) far {
	t.Helper()
	const name = "small-1.0-py3-none-any.whl"
	wheel := zipped(t, map[string]string{
		"small.py":                     "WORD = 'small'\n",
		"small-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: small\nVersion: 1.0\n",
		"small-1.0.dist-info/WHEEL":    "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
		"small-1.0.dist-info/RECORD":   "small.py,,\n",
	})
	mux := http.NewServeMux()
	mux.HandleFunc("/simple/small/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!DOCTYPE html><a href="/files/%s">%[1]s</a>`, name)
	})
	mux.HandleFunc("/files/"+name, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(wheel) })
	return serve(t, mux)
}

func TestCargo(t *testing.T) {
	t.Parallel()
	bin, shown := toolchain(t)
	f := crateIndex(t)
	home := t.TempDir()
	shimtest.Write(t, filepath.Join(home, "config.toml"), f.cargoConfig())
	files := cargoProject()
	files[".cargo/config.toml"] = f.cargoConfig()
	both(t, trial{
		line: cargoLine(bin), files: files, shown: shown, env: f.env, network: f.listed(preset(t, "cargo", "CARGO_HOME="+home)),
	}, f.host, true, "response 403")
}

// cargoLine fetches the crate of crateIndex.
func cargoLine(bin string) string {
	return "PATH=" + bin + ":$PATH; cargo fetch && ls ~/.cargo/registry/src/*/small-1.0.0/src/lib.rs"
}

func cargoProject() map[string]string {
	return map[string]string{
		"Cargo.toml": "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nsmall = \"1\"\n", "src/lib.rs": "",
	}
}

// cargoConfig makes cargo use the server in place of its default registry.
func (f far) cargoConfig() string {
	return fmt.Sprintf("[source.crates-io]\nreplace-with = \"own\"\n[source.own]\nregistry = \"sparse+%s/index/\"\n", f.link)
}

// crateIndex is an index of one crate, at /index/.
func crateIndex(t *testing.T) far {
	t.Helper()
	crate := packed(t, map[string]string{
		"small-1.0.0/Cargo.toml": "[package]\nname = \"small\"\nversion = \"1.0.0\"\nedition = \"2021\"\n",
		"small-1.0.0/src/lib.rs": "pub const WORD: &str = \"small\";\n",
	})
	sum := sha256.Sum256(crate)
	mux := http.NewServeMux()
	f := serve(t, mux)
	mux.HandleFunc("/index/config.json", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, `{"dl": "%s/crates"}`, f.link) })
	mux.HandleFunc("/index/sm/al/small", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"name":"small","vers":"1.0.0","deps":[],"cksum":"%s","features":{},"yanked":false}`+"\n", hex.EncodeToString(sum[:]))
	})
	mux.HandleFunc("/crates/small/1.0.0/download", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(crate) })
	return f
}

// toolchain is a folder with a cargo that reads registries over HTTPS, and what must be shown for it.
func toolchain(t *testing.T) (bin string, shown []string) {
	t.Helper()
	if out, err := exec.Command("rustup", "which", "cargo").Output(); err == nil {
		bin = filepath.Dir(strings.TrimSpace(string(out)))
		shown = []string{filepath.Dir(bin)}
	} else {
		bin = filepath.Dir(need(t, "cargo"))
	}
	var minor int
	out, err := exec.Command(filepath.Join(bin, "cargo"), "--version").Output()
	if _, scanned := fmt.Sscanf(string(out), "cargo 1.%d.", &minor); err != nil || scanned != nil {
		t.Fatalf("cargo says %q: %v", out, err)
	}
	const sparse = 68
	if minor < sparse {
		t.Skipf("cargo 1.%d reads no registry over HTTPS, 1.%d does", minor, sparse)
	}
	return bin, shown
}

func zipped(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, text := range files {
		entry, err := w.Create(name)
		if err == nil {
			_, err = entry.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func packed(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	compressed := gzip.NewWriter(&out)
	w := tar.NewWriter(compressed)
	for name, text := range files {
		err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))})
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := compressed.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
