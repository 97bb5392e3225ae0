package guard_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/pushlock"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// world is a folder with a remote, a clone of it that is one commit ahead, a person's home and stand-ins for the
// programs that would reach other machines.
type world struct {
	root string
	env  []string
	fill *strings.Replacer
}

// stage makes worlds: it builds one and copies it.
type stage struct {
	template string
	bound    string // the template with a lock installed
	git      string
	core     string
	server   string // address of the folder above all worlds
	worlds   string
	lock     pushlock.Lock
}

const token = "made-up-token"

func newStage(t *testing.T) *stage {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	core, err := exec.CommandContext(t.Context(), git, "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{git: git, core: strings.TrimSpace(string(core)), worlds: t.TempDir()}
	s.server = serve(t, filepath.Join(s.core, "git-http-backend"), s.worlds)
	s.template = filepath.Join(s.worlds, "template")
	s.build(t)
	s.bound = filepath.Join(s.worlds, "bound")
	must(t, os.CopyFS(s.bound, os.DirFS(s.template)))
	if s.lock, err = pushlock.Write(t.Context(), filepath.Join(t.TempDir(), "lock")); err != nil {
		t.Fatal(err)
	}
	return s
}

// serve answers git over HTTP, and takes pushes from whoever has the password.
func serve(t *testing.T, backend, root string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		known := user == "user" && password == token
		if !known && (strings.HasSuffix(r.URL.Path, "git-receive-pack") || r.URL.Query().Get("service") == "git-receive-pack") {
			w.Header().Set("WWW-Authenticate", `Basic realm="forge"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handler := &cgi.Handler{Path: backend, Dir: root, Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "HOME=" + root, "GIT_CONFIG_NOSYSTEM=1"}}
		if known {
			handler.Env = append(handler.Env, "REMOTE_USER=user")
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// at returns the world in a folder, whether or not it is there yet.
func (s *stage) at(root string) world {
	name := filepath.Base(root)
	return world{
		root: root,
		env: []string{
			"PATH=" + filepath.Join(root, "bin") + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + filepath.Join(root, "home"), "SHELL=/bin/bash",
			"LANG=C", "TERM=dumb", "GH_TOKEN=" + token, "GIT_CONFIG_NOSYSTEM=1", "npm_config_update_notifier=false",
		},
		fill: strings.NewReplacer("@GIT@", s.git, "@CORE@", s.core, "@ROOT@", root, "@REMOTE@", filepath.Join(root, "remote.git"),
			"@WEB@", "http://user:"+token+"@"+s.server+"/"+name+"/remote.git"),
	}
}

func (w world) work() string { return filepath.Join(w.root, "work") }

// script runs lines of bash in the world's clone.
func (w world) script(ctx context.Context, lines string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, waittest.Limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", w.fill.Replace(lines))
	cmd.Dir, cmd.Env = w.work(), w.env
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	return string(out), err
}

const buildScript = `set -e
git init -q -b main && git add -A && git commit -qm base
git init -q --bare -b main ../remote.git && git config -f ../remote.git/config receive.denyDeleteCurrent ignore
git remote add origin ../remote.git
git push -q -u origin main && git push -q origin main:stale && git fetch -q
git branch feature && echo '// ahead' >> main.go && git commit -qam ahead
git switch -q feature && echo more >> notes.txt && git commit -qam more && git switch -q main
git tag -a v1 -m v1
git remote add files file://@REMOTE@
git remote add over-ssh ssh://git@forge.test@REMOTE@
git remote add over-scp git@forge.test:@REMOTE@
git remote add over-http @WEB@
git remote add apart ../remote.git && git config remote.apart.pushurl ../remote.git
rm -rf .git/hooks ../remote.git/hooks .git/logs
git gc -q && git -C ../remote.git gc -q
rm -rf ../remote.git/branches ../remote.git/description ../remote.git/info .git/branches .git/description .git/COMMIT_EDITMSG .git/FETCH_HEAD
rm -rf ../remote.git/objects/info .git/objects/info`

const homeConfiguration = `[user]
	name = Person
	email = person@example.test
[alias]
	st = status -sb
	lg = log --oneline
	up = push
	ship = !git fetch && git push
	deliver = push
	save = "!git add -A && git commit -q --allow-empty -m"
[init]
	defaultBranch = main
[protocol "file"]
	allow = always
`

func (s *stage) build(t *testing.T) {
	t.Helper()
	w := s.at(s.template)
	for _, folder := range []string{"bin", "work"} {
		must(t, os.CopyFS(filepath.Join(w.root, folder), os.DirFS(filepath.Join("testdata", folder))))
	}
	for _, file := range []string{"Makefile", "push.py"} {
		rewrite(t, filepath.Join(w.work(), file), w.fill)
	}
	for name, original := range map[string]string{"hub": "glab", "tea": "glab", "wget": "curl", "http": "curl", "doas": "sudo", "npx": "su"} {
		must(t, os.Link(filepath.Join(w.root, "bin", original), filepath.Join(w.root, "bin", name)))
	}
	must(t, os.MkdirAll(filepath.Join(w.root, "home/.config/gh"), 0o700))
	must(t, os.WriteFile(filepath.Join(w.root, "home/.config/gh/hosts.yml"), []byte("github.com: {oauth_token: "+token+"}\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(w.root, "home/.gitconfig"), []byte(homeConfiguration), 0o600))
	if out, err := w.script(t.Context(), buildScript); err != nil {
		t.Fatalf("build the world: %v\n%s", err, out)
	}
}

// open makes a fresh world, in which the repository is locked if template is s.bound.
func (s *stage) open(t *testing.T, name, template string) world {
	t.Helper()
	w := s.at(filepath.Join(s.worlds, name))
	copyWorld(t, template, w.root)
	rewrite(t, filepath.Join(w.root, "work/.git/config"), strings.NewReplacer(s.bound, w.root, s.template, w.root, "/template/", "/"+name+"/"))
	return w
}

// copyWorld copies a folder. What nothing writes to is linked, which is much quicker.
func copyWorld(t *testing.T, from, to string) {
	t.Helper()
	must(t, filepath.WalkDir(from, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, file)
		if err != nil {
			return err
		}
		target := filepath.Join(to, name)
		if entry.IsDir() {
			return os.Mkdir(target, 0o700)
		}
		if strings.HasPrefix(name, "bin/") || strings.Contains(name, "/objects/pack/") {
			return os.Link(file, target)
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, info.Mode())
	}))
}

// state is what tells whether something was pushed or git was steered.
type state struct {
	refs   string
	forge  string
	config []string
	hooks  string
}

func (w world) look(t *testing.T) state {
	t.Helper()
	forge, err := os.ReadFile(filepath.Join(w.root, "forge.log"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var config []string
	for _, file := range []string{"work/.git/config", "home/.gitconfig"} {
		config = append(config, listConfig(t, filepath.Join(w.root, file))...)
	}
	return state{
		refs:   contents(t, filepath.Join(w.root, "remote.git/refs")) + contents(t, filepath.Join(w.root, "remote.git/packed-refs")),
		forge:  string(forge),
		config: config,
		hooks:  contents(t, filepath.Join(w.root, "work/.git/hooks")),
	}
}

// contents is every file below a path, by name.
func contents(t *testing.T, path string) string {
	t.Helper()
	var b bytes.Buffer
	err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(file)
		b.WriteString(file + "\n" + string(text) + "\n")
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return b.String()
}

// listConfig reads a configuration file line by line, sections included, which is enough to see it change.
func listConfig(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var found []string
	section := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = line
			if strings.HasSuffix(line, "]") {
				continue
			}
		}
		found = append(found, section+" "+line)
	}
	return found
}

// judge says what happened between two looks.
func (before state) judge(after state) string {
	if before.refs != after.refs || before.forge != after.forge {
		return "pushes"
	}
	if before.hooks != after.hooks {
		return "steers"
	}
	changed := append(slices.DeleteFunc(slices.Clone(after.config), func(l string) bool { return slices.Contains(before.config, l) }),
		slices.DeleteFunc(slices.Clone(before.config), func(l string) bool { return slices.Contains(after.config, l) })...)
	for _, line := range changed {
		if !strings.HasPrefix(line, "[user]") && !strings.HasPrefix(line, "[branch ") && !strings.HasPrefix(line, "[pull]") {
			return "steers"
		}
	}
	return "harmless"
}

// rewrite replaces parts of a file.
func rewrite(t *testing.T, file string, replacer *strings.Replacer) {
	t.Helper()
	info, err := os.Stat(file)
	must(t, err)
	text, err := os.ReadFile(file)
	must(t, err)
	must(t, os.WriteFile(file, []byte(replacer.Replace(string(text))), info.Mode()))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
