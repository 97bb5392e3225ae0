package dispatch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// caches holds the folders that a setup filled, for the next checkout of the
// same run with the same key files. A cache never leaves its run: what one
// agent's setup left must not speak for another's.
type caches struct {
	checkout *checkout
	entries  []cacheEntry
	err      error
}

type cacheEntry struct {
	inside, stored string
}

// maxKeyFile bounds a file that is part of a cache's key.
const maxKeyFile = 16 << 20

func (c *checkout) caches(ctx context.Context) *caches {
	all := &caches{checkout: c}
	if !c.reuse {
		return all
	}
	for _, spec := range c.run.Playbook.Caches {
		h := sha256.New()
		fmt.Fprintf(h, "%s\x00%s\x00", c.run.Playbook.Setup, spec.Path)
		for _, file := range spec.Key {
			content, err := c.yard.Show(ctx, c.commit, file, maxKeyFile)
			if err != nil && !errors.Is(err, yard.ErrNotFound) {
				all.err = err
			}
			fmt.Fprintf(h, "%s\x00%d\x00%s\x00", file, len(content), content)
		}
		all.entries = append(all.entries, cacheEntry{
			inside: filepath.Join(c.dir, filepath.FromSlash(spec.Path)),
			stored: filepath.Join(c.dispatcher.Layout.Caches(c.run.ID), hex.EncodeToString(h.Sum(nil))),
		})
	}
	return all
}

// restore fills the checkout from the caches. It reports true if every
// cache was there: the setup has nothing left to do.
func (c *caches) restore(ctx context.Context) (bool, error) {
	if c.err != nil || len(c.entries) == 0 {
		return false, c.err
	}
	for _, e := range c.entries {
		_, err := os.Stat(e.stored)
		if errors.Is(err, os.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("look for a cache: %w", err)
		}
	}
	for _, e := range c.entries {
		if err := c.checkout.contains(e.inside); err != nil {
			return false, err
		}
		// What an interrupted restore or the setup itself left there is replaced.
		if err := errors.Join(yard.RemoveWorkspace(e.inside), copyTree(ctx, e.stored, e.inside)); err != nil {
			return false, err
		}
	}
	return true, nil
}

// save keeps what the setup made. It copies into a temporary folder and
// renames, so that a half-written cache is never found.
func (c *caches) save(ctx context.Context) error {
	for _, e := range c.entries {
		if err := c.checkout.contains(e.inside); err != nil {
			return err
		}
		if _, err := os.Lstat(e.inside); errors.Is(err, os.ErrNotExist) {
			continue // the setup did not make it
		}
		temporary := e.stored + ".part"
		if err := yard.RemoveWorkspace(temporary); err != nil {
			return err
		}
		if err := copyTree(ctx, e.inside, temporary); err != nil {
			return err
		}
		if err := os.Rename(temporary, e.stored); err != nil && !errors.Is(err, os.ErrExist) {
			return fmt.Errorf("keep a cache: %w", err)
		}
	}
	return nil
}

// contains refuses a path that a link leads out of the checkout: the tree and
// what its setup did are an agent's work, and the engine copies outside of any
// sandbox. Nothing runs in the checkout by then.
func (c *checkout) contains(path string) error {
	rel, err := filepath.Rel(c.dir, path)
	if err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("the cache path %s is outside the checkout", path)
	}
	at := c.dir
	for part := range strings.SplitSeq(rel, string(filepath.Separator)) {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("look at a cache path: %w", err)
		}
		if !info.IsDir() {
			return &setupError{command: "cache " + rel, result: check.Result{
				ExitCode: 1, Output: part + " is not a folder of the checkout: caches are not kept through links",
			}}
		}
	}
	return nil
}

// copyTree copies a folder with its links and modes. cp shares blocks where
// the file system can, which no copy of ours would.
func copyTree(ctx context.Context, from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	cmd := exec.CommandContext(ctx, "cp", "-a", "--", from, to)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("copy %s: %w: %s", from, err, plain.ClipBytes(string(out), 500))
	}
	return nil
}

// toolCaches tells build tools to keep what they fetch in the cache rather than in
// the home folder, which is new for every command: what a setup fetched is there
// for the checks. Java takes its home from the system, where it has none.
func toolCaches(cache string) map[string]string {
	in := func(name string) string { return filepath.Join(cache, name) }
	return map[string]string{
		"XDG_CACHE_HOME": cache, "GOMODCACHE": in("go-mod"), "CARGO_HOME": in("cargo"), "npm_config_cache": in("npm"),
		"PIP_CACHE_DIR": in("pip"), "GRADLE_USER_HOME": in("gradle"), "MAVEN_OPTS": "-Dmaven.repo.local=" + in("maven"),
		"PIP_DISABLE_PIP_VERSION_CHECK": "1", "npm_config_update_notifier": "false",
	}
}
