package pushlock

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
)

// nowhere is the address that an installed lock gives to pushes: an impossible path, which git's own message then shows.
const nowhere = "/dev/null/stellwerk-holds-pushes-back-until-the-run-ends/"

// section holds what the lock replaced, in the repository's own configuration: one subsection for each key.
const section = "stellwerk-pushlock"

// repository is a git repository on this machine. All its worktrees share the configuration, and so the lock.
type repository struct {
	dir    string
	common string              // the folder that holds configuration and hooks
	config map[string][]string // the repository's own configuration, as it was when it was opened
}

// Install locks a repository against pushes, from whichever program: its remotes' push addresses lead nowhere, no
// credential helper is asked, and a pre-push hook refuses. The repository's own hooks keep running, and what was
// replaced is remembered beside it. Installing twice is installing once, and covers remotes added since.
func Install(ctx context.Context, dir string) error {
	r, err := open(ctx, dir)
	if err != nil {
		return err
	}
	if err := r.writeHooks(ctx); err != nil {
		return err
	}
	settings := []setting{
		{"url." + nowhere + ".pushInsteadOf", ""},
		{"push.gpgSign", "true"},
		{"credential.helper", ""},
		{"core.hooksPath", r.hooks()},
	}
	remotes, err := r.git(ctx, "remote")
	if err != nil {
		return err
	}
	for name := range strings.Lines(remotes) {
		settings = append(settings, setting{"remote." + strings.TrimSpace(name) + ".pushurl", nowhere})
	}
	for _, s := range settings {
		if err := r.replace(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// Uninstall gives a repository back what Install replaced. What someone changed since then stays as they left it.
// Without a lock it does nothing.
func Uninstall(ctx context.Context, dir string) error {
	r, err := open(ctx, dir)
	if err != nil {
		return err
	}
	for _, key := range r.replaced() {
		if err := r.restore(ctx, key); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(filepath.Dir(r.hooks())); err != nil {
		return fmt.Errorf("remove the push lock's hooks: %w", err)
	}
	return nil
}

func open(ctx context.Context, dir string) (repository, error) {
	r := repository{dir: dir}
	common, err := r.git(ctx, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return r, fmt.Errorf("lock %s against pushes: %w: %w", dir, ErrNotRepository, err)
	}
	r.common = strings.TrimSuffix(common, "\n")
	list, err := r.git(ctx, "config", "--local", "--null", "--list")
	if err != nil {
		return r, err
	}
	r.config = map[string][]string{}
	for entry := range strings.SplitSeq(list, "\x00") {
		key, value, _ := strings.Cut(entry, "\n")
		r.config[key] = append(r.config[key], value)
	}
	return r, nil
}

// values returns what a key holds in the repository itself.
func (r repository) values(key string) []string { return r.config[canonical(key)] }

// canonical is a key as git lists it: section and name in lower case, what is between them as it is.
func canonical(key string) string {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	return strings.ToLower(key[:first]) + key[first:last] + strings.ToLower(key[last:])
}

func (r repository) hooks() string { return filepath.Join(r.common, "stellwerk-pushlock", "hooks") }

// replace sets a key and remembers what it held. The memory is written first, so that being interrupted loses nothing.
func (r repository) replace(ctx context.Context, s setting) error {
	old := r.values(s.name)
	if slices.Equal(old, []string{s.value}) && len(r.values(memory(s.name, "now"))) > 0 {
		return nil
	}
	calls := [][]string{{"--replace-all", memory(s.name, "now"), s.value}}
	for _, value := range old {
		if value != s.value && !slices.Contains(r.values(memory(s.name, "was")), value) {
			calls = append(calls, []string{"--add", memory(s.name, "was"), value})
		}
	}
	return r.write(ctx, append(calls, []string{"--replace-all", s.name, s.value}))
}

// restore gives a key back what it held, if it still holds what the lock set, and forgets it.
func (r repository) restore(ctx context.Context, key string) error {
	current, was := r.values(key), r.values(memory(key, "was"))
	var calls [][]string
	if slices.Equal(current, r.values(memory(key, "now"))) || isPrefix(current, was) {
		if len(current) > 0 {
			calls = append(calls, []string{"--unset-all", key})
		}
		for _, value := range was {
			calls = append(calls, []string{"--add", key, value})
		}
	}
	return r.write(ctx, append(calls, []string{"--remove-section", section + "." + key}))
}

// write changes the repository's configuration step by step.
func (r repository) write(ctx context.Context, calls [][]string) error {
	for _, call := range calls {
		if _, err := r.git(ctx, append([]string{"config", "--local"}, call...)...); err != nil {
			return err
		}
	}
	return nil
}

// isPrefix reports that an earlier restore was interrupted halfway.
func isPrefix(current, was []string) bool {
	return len(current) < len(was) && slices.Equal(current, was[:len(current)])
}

// memory is the key under which something about another key is remembered.
func memory(key, what string) string { return section + "." + key + "." + what }

// replaced lists the keys the lock has replaced, in a stable order.
func (r repository) replaced() []string {
	var keys []string
	for name := range r.config {
		if rest, ok := strings.CutPrefix(name, section+"."); ok {
			if key, ok := strings.CutSuffix(rest, ".now"); ok {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	return keys
}

// writeHooks writes the refusing hook, and for every other hook one that hands on to the person's own.
func (r repository) writeHooks(ctx context.Context) error {
	own, err := r.ownHooks(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.hooks(), 0o755); err != nil {
		return fmt.Errorf("make the push lock's hooks: %w", err)
	}
	names := []string{"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg", "commit-msg",
		"post-commit", "pre-rebase", "post-checkout", "post-merge", "post-rewrite"}
	present, err := os.ReadDir(r.absolute(own))
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("read the repository's hooks: %w", err)
	}
	for _, entry := range present {
		if name := entry.Name(); !strings.Contains(name, ".") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if err := r.writeHook(name, "hook.sh", own); err != nil {
			return err
		}
	}
	return r.writeHook("pre-push", "pre-push.sh", own)
}

func (r repository) writeHook(name, script, own string) error {
	text, err := scripts.ReadFile("scripts/" + script)
	if err != nil {
		return fmt.Errorf("read the push lock's hook: %w", err)
	}
	body := strings.ReplaceAll(string(text), "@HOOKS@", "'"+strings.ReplaceAll(own, "'", `'\''`)+"'")
	if err := renameio.WriteFile(filepath.Join(r.hooks(), name), []byte(body), 0o755, renameio.IgnoreUmask()); err != nil {
		return fmt.Errorf("write the push lock's hook: %w", err)
	}
	return nil
}

// ownHooks is the folder of the person's hooks. A relative one counts from the top of the worktree, where git runs hooks.
func (r repository) ownHooks(ctx context.Context) (string, error) {
	if was := r.values(memory("core.hooksPath", "was")); len(was) > 0 {
		return was[len(was)-1], nil
	}
	out, err := r.git(ctx, "config", "--null", "--type=path", "--get", "core.hooksPath")
	if code, ok := exitCode(err); ok && code == 1 {
		return filepath.Join(r.common, "hooks"), nil
	}
	if err != nil {
		return "", err
	}
	if set := strings.TrimSuffix(out, "\x00"); set != r.hooks() {
		return set, nil
	}
	return filepath.Join(r.common, "hooks"), nil
}

func (r repository) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(r.dir, path)
}

// git runs git in the repository, with its configuration and without that of a lock around it.
func (r repository) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", r.dir}, args...)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "GIT_CONFIG_COUNT=") || strings.HasPrefix(entry, "GIT_DIR=") || strings.HasPrefix(entry, "GIT_WORK_TREE=")
	})
	out, err := cmd.Output()
	if err != nil {
		return "", &gitError{args: args, cause: err}
	}
	return string(out), nil
}
