package registry

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// needPip ends a test on a machine whose Python has no pip.
func needPip(t *testing.T) {
	t.Helper()
	python := need(t, "python3")
	cmd := exec.Command(python, "-m", "pip", "--version")
	cmd.Dir = nowhere // Python imports from the folder it runs in
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("pip is not on this machine: %v: %s", err, out)
	}
}

func TestPip(t *testing.T) {
	needPip(t)
	for name, c := range map[string]struct {
		file     string
		variable string
		remark   string
		hosts    []string
		inside   map[string]string
	}{
		"several": {"[global]\nindex-url = http://alice:sesame@mirror.example.com:8081/simple\nextra-index-url =\n    https://a.example.com/simple\n    http://b.example.com/simple\n" +
			"find-links = /opt/wheels https://links.example.com/wheels?key=sesame\ntrusted-host = mirror.example.com",
			"", noLogin + "links.example.com, mirror.example.com:8081", []string{"a.example.com", "b.example.com:80", "links.example.com", "mirror.example.com:8081"},
			map[string]string{
				"PIP_INDEX_URL": "http://mirror.example.com:8081/simple", "PIP_EXTRA_INDEX_URL": "https://a.example.com/simple http://b.example.com/simple",
				"PIP_FIND_LINKS": "/opt/wheels https://links.example.com/wheels", "PIP_TRUSTED_HOST": "mirror.example.com",
			}},
		"for install":     {"[install]\nindex_url = https://install.example.com/\n[global]\nindex-url = https://mirror.example.com/\n[download]\nindex-url = https://download.example.com/", "", "", []string{"install.example.com"}, map[string]string{"PIP_INDEX_URL": "https://install.example.com/"}},
		"a variable wins": {"[global]\nindex-url = https://mirror.example.com/", "PIP_INDEX_URL=https://other.example.com/", "", []string{"other.example.com"}, map[string]string{"PIP_INDEX_URL": "https://other.example.com/"}},
		"no index": {"[global]\nno-index = true\nfind-links = https://links.example.com/\nindex-url = https://mirror.example.com/", "", "", []string{"links.example.com"},
			map[string]string{"PIP_INDEX_URL": "https://mirror.example.com/", "PIP_FIND_LINKS": "https://links.example.com/", "PIP_NO_INDEX": "1"}},
		"a folder": {"[global]\nindex-url = /srv/simple", "", "use no host", nil, map[string]string{"PIP_INDEX_URL": "/srv/simple"}},
		"nonsense": {"[global]\nindex-url = https://alice:sesame@*/", "", "index-url is not an address", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, environ := person(t, c.variable)
			write(t, 0o600, c.file+"\n", home, "pip.conf")
			handsIn(t, expect(t, "pip", append(environ, "PIP_CONFIG_FILE="+home+"/pip.conf"), c.remark, c.hosts...), c.inside)
		})
	}
}

func TestPipInRepository(t *testing.T) {
	needPip(t)
	repository(t)
	home, environ := person(t)
	write(t, 0o600, "[global]\nindex-url = https://mirror.example.com/\n", home, ".config", "pip", "pip.conf")
	expect(t, "pip", environ, "", "mirror.example.com")
}

// pip's default index keeps its files at a second host, also if a person has named that index.
func TestPipDefault(t *testing.T) {
	needPip(t)
	home, environ := person(t)
	const question = "from pip._internal.models.index import PyPI; print(PyPI.netloc, PyPI.file_storage_domain, PyPI.simple_url)"
	out, err := tool{environ}.run(t.Context(), "python3", "-c", question)
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(out)
	hosts := slices.Sorted(slices.Values(words[:2]))
	handsIn(t, expect(t, "pip", append(environ, "PIP_CONFIG_FILE=/dev/null"), "", hosts...), nil) // no file of this machine
	write(t, 0o600, "[global]\nindex-url = "+words[2]+"\n", home, "pip.conf")
	expect(t, "pip", append(environ, "PIP_CONFIG_FILE="+home+"/pip.conf"), "", hosts...)
}

// A Python without pip has it in store for new virtual environments.
func TestPipInStore(t *testing.T) {
	needPip(t)
	python := need(t, "python3")
	dir := t.TempDir()
	if out, err := exec.Command(python, "-m", "venv", "--without-pip", dir).CombinedOutput(); err != nil {
		t.Skipf("this Python makes no virtual environments: %v: %s", err, out)
	}
	if out, err := exec.Command(python, "-c", "import ensurepip").CombinedOutput(); err != nil {
		t.Skipf("this Python has no pip in store: %v: %s", err, out)
	}
	_, environ := person(t, "PATH="+dir+"/bin", "PIP_INDEX_URL=https://mirror.example.com/")
	expect(t, "pip", environ, "", "mirror.example.com")
}

// A later pip may keep its defaults elsewhere.
func TestPipWithoutDefaults(t *testing.T) {
	expect(t, "pip", standIn(t, "python3", `echo "global.timeout='9'"`), "its answer cannot be read")
	expect(t, "pip", standIn(t, "python3", `echo "global.index-url='https://mirror.example.com/'"`), "", "mirror.example.com")
}

func TestPythonWithoutPip(t *testing.T) {
	expect(t, "pip", standIn(t, "python3", "echo No module named pip >&2; exit 1"), "is pip installed")
}
