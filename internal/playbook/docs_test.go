package playbook

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

// docFile is a file that the documentation tells its reader to make.
var docFile = regexp.MustCompile("(?s)\\*\\*`([^`]+)`\\*\\*\n\n```[a-z]+\n(.*?)```")

// TestDocumentedExample follows docs/playbooks.md to the letter: it makes the files, reads the playbook, runs its agents
// as the page says they are run, and holds what they hand in to the playbook's own checks.
func TestDocumentedExample(t *testing.T) {
	page, err := os.ReadFile("../../docs/playbooks.md")
	if err != nil {
		t.Fatal(err)
	}
	repo, in, out := t.TempDir(), t.TempDir(), t.TempDir()
	var playbook []byte
	for _, match := range docFile.FindAllStringSubmatch(string(page), -1) {
		file := filepath.Join(repo, filepath.FromSlash(match[1]))
		write(t, file, match[2])
		if strings.HasSuffix(file, ".yaml") {
			playbook = []byte(match[2])
		}
	}
	p, warnings, err := Parse("greeting.yaml", playbook, Options{})
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	prompt := filepath.Join(t.TempDir(), "prompt.md")
	write(t, prompt, "one\ntwo\n")
	env := append(os.Environ(), "STELLWERK_PROMPT="+prompt, "STELLWERK_IN="+in, "STELLWERK_OUT="+out,
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com")
	do(t, repo, env, "git", "init", "--quiet")
	do(t, repo, env, "git", "add", ".")
	do(t, repo, env, "git", "commit", "--quiet", "--message", "base")
	for _, phase := range p.Phases {
		if phase.Act != "" {
			continue
		}
		run := p.Agents[p.Roles[phase.Role].Agent].Run
		do(t, repo, env, run[0], run[1:]...)
		for _, output := range phase.Outputs {
			data, err := os.ReadFile(filepath.Join(out, output))
			if err != nil || len(data) == 0 {
				t.Errorf("%s does not hand in %s: %v", phase.ID, output, err)
			}
			write(t, filepath.Join(in, output), string(data))
		}
		for _, c := range phase.Done.Of {
			switch c.Kind {
			case core.CheckCommand:
				do(t, repo, env, "sh", "-c", c.Run)
			case core.CheckChanged:
				do(t, repo, env, "git", append([]string{"cat-file", "-e"}, "HEAD:"+c.Globs[0])...)
			default: // about a round, which the agents alone do not make
			}
		}
	}
}

// docProject is one of the page's examples of a playbook that drives a project.
var docProject = regexp.MustCompile("(?s)```yaml\n(name: [a-z]+\nkind: (rules|manager|waves)\n.*?)```")

// TestDocumentedProjects reads the examples of the kinds that delegate, which use every key.
func TestDocumentedProjects(t *testing.T) {
	page, err := os.ReadFile("../../docs/playbook-kinds.md")
	if err != nil {
		t.Fatal(err)
	}
	left := []string{"review", "rounds"} // to the manager
	keys := map[string][]string{
		KindRules: slices.Concat(kindKeys(KindRules), planKeys(), stepsKeys(), publishKeys()),
		KindManager: slices.Concat(kindKeys(KindManager), managerKeys(), watchdogKeys(), publishKeys(),
			slices.DeleteFunc(stepsKeys(), func(key string) bool { return slices.Contains(left, key) })),
		KindWaves: slices.Concat(kindKeys(KindWaves), plannerKeys(), wavesKeys(), publishKeys()),
	}
	for _, match := range docProject.FindAllSubmatch(page, -1) {
		text, kind := string(match[1]), string(match[2])
		p, warnings, err := Parse("shop.yaml", match[1], Options{Roles: role.Builtin()})
		if err != nil || len(warnings) > 0 {
			t.Fatal(kind, warnings, err)
		}
		if err := compiled(t).Validate(decode(t, match[1])); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		for _, key := range keys[kind] {
			if !strings.Contains(text, key+": ") && !strings.Contains(text, key+":\n") {
				t.Errorf("the example of kind %s does not use %s", kind, key)
			}
		}
		if got := specialists(*p); kind != KindWaves && !slices.Equal(got, []string{"migration-writer"}) {
			t.Errorf("%s: specialists %v", kind, got)
		}
		delete(keys, kind)
	}
	if len(keys) > 0 {
		t.Errorf("the page has no example of %v", slices.Collect(maps.Keys(keys)))
	}
}

// TestDocumentedKeys wants every key of the format on the pages.
func TestDocumentedKeys(t *testing.T) {
	var page []byte
	for _, name := range []string{"playbooks.md", "playbook-kinds.md"} {
		text, err := os.ReadFile("../../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		page = append(page, text...)
	}
	for _, keys := range [][]string{playbookKeys(), defaultKeys(), agentKeys(), roleKeys(), phaseKeys(), teamKeys(), tierKeys(),
		planKeys(), stepsKeys(), publishKeys(), managerKeys(), watchdogKeys(), plannerKeys(), wavesKeys()} {
		for _, key := range keys {
			if !strings.Contains(string(page), "`"+key+"`") {
				t.Errorf("%s is not documented", key)
			}
		}
	}
	for _, key := range append(checkKeys(), gitKeys()...) {
		if !strings.Contains(string(page), key+": ") {
			t.Errorf("the check %s is not documented", key)
		}
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func do(t *testing.T, dir string, env []string, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, env
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, output)
	}
}
