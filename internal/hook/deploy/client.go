package deploy

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/program"
	"github.com/stellwerk-dev/stellwerk/plugin"
)

// Client is the Claude Code program.
type Client struct {
	Program string // path
	Dir     string // where it runs: a project's scope is that of this folder
}

// callTimeout bounds one call of the client.
const callTimeout = 60 * time.Second

// id is the plugin's name in the client.
const id = plugin.Name + "@" + plugin.Name

// Find is the client at a path, or on PATH if none is given.
func Find(given, dir string) (Client, error) {
	path, err := find(cmp.Or(given, "claude"))
	if err != nil {
		return Client{}, core.Wrap(core.CodeNotFound, err, "Claude Code was not found",
			"npm install -g @anthropic-ai/claude-code, or name the program with --claude PATH")
	}
	return Client{Program: path, Dir: dir}, nil
}

// find is the program at a path, or that a name stands for.
func find(name string) (string, error) {
	if !strings.Contains(name, "/") {
		return program.Look(os.Getenv("PATH"), name)
	}
	path, err := filepath.Abs(name)
	if err == nil {
		err = program.Executable(path)
	}
	return path, err
}

func (c Client) call(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Program, args...)
	cmd.Dir = c.Dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		said := strings.TrimSpace(errs.String() + "\n" + out.String())
		return "", errors.Join(fmt.Errorf("claude %s: %s", strings.Join(args, " "), said), err)
	}
	return out.String(), nil
}

// Version is what the client calls itself.
func (c Client) Version(ctx context.Context) (string, error) {
	out, err := c.call(ctx, "--version")
	line, _, _ := strings.Cut(strings.TrimSpace(out), "\n")
	return line, err
}

// Installed is the plugin as the client lists it.
type Installed struct {
	ID      string `json:"id"`
	Scope   string `json:"scope"`
	Enabled bool   `json:"enabled"`
	Folder  string `json:"readFromFolder"`
	Project string `json:"projectPath"`
}

// Plugin lists where the plugin is installed: once per scope.
func (c Client) Plugin(ctx context.Context) ([]Installed, error) {
	out, err := c.call(ctx, "plugin", "list", "--json")
	if err != nil {
		return nil, err
	}
	var all, ours []Installed
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		return nil, fmt.Errorf("read the client's list of plugins: %w", err)
	}
	for _, p := range all {
		if p.ID == id {
			ours = append(ours, p)
		}
	}
	return ours, nil
}

// Install makes the folder a marketplace of the client and installs the plugin
// from it. Doing it again changes nothing; another folder replaces the old one.
func (c Client) Install(ctx context.Context, f Folder, scope string) error {
	known, err := c.marketplace(ctx)
	if err != nil {
		return err
	}
	if known != "" && known != string(f) {
		if err := c.forget(ctx); err != nil {
			return err
		}
		known = ""
	}
	if known == "" {
		if _, err := c.call(ctx, "plugin", "marketplace", "add", string(f)); err != nil {
			return err
		}
	}
	if _, err := c.call(ctx, "plugin", "install", id, "--scope", scope); err != nil {
		return err
	}
	return c.enable(ctx, scope)
}

// enable turns the plugin on if somebody turned it off.
func (c Client) enable(ctx context.Context, scope string) error {
	installed, err := c.Plugin(ctx)
	if err != nil {
		return err
	}
	for _, p := range installed {
		if p.Scope == scope && !p.Enabled && (p.Project == "" || p.Project == c.Dir) {
			_, err := c.call(ctx, "plugin", "enable", id, "--scope", scope)
			return err
		}
	}
	return nil
}

// marketplace is the folder under which the client knows our marketplace; empty if it
// does not know it.
func (c Client) marketplace(ctx context.Context) (string, error) {
	out, err := c.call(ctx, "plugin", "marketplace", "list", "--json")
	if err != nil {
		return "", err
	}
	var all []struct {
		Name string `json:"name"`
		Path string `json:"path"`
	}
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		return "", fmt.Errorf("read the client's list of marketplaces: %w", err)
	}
	for _, m := range all {
		if m.Name == plugin.Name {
			return m.Path, nil
		}
	}
	return "", nil
}

func (c Client) forget(ctx context.Context) error {
	_, err := c.call(ctx, "plugin", "marketplace", "remove", plugin.Name)
	return err
}

// Uninstall removes the plugin from a scope, and reports whether another scope still
// has it. If none has, it removes the marketplace, too. Removing what is not installed
// is no error.
func (c Client) Uninstall(ctx context.Context, scope string) (left bool, err error) {
	installed, err := c.Plugin(ctx)
	if err != nil {
		return true, err
	}
	for _, p := range installed {
		if p.Scope != scope || p.Project != "" && p.Project != c.Dir {
			left = true
			continue
		}
		if _, err := c.call(ctx, "plugin", "uninstall", id, "--scope", scope); err != nil {
			return true, err
		}
	}
	if left {
		return true, nil
	}
	known, err := c.marketplace(ctx)
	if err != nil || known == "" {
		return false, err
	}
	return false, c.forget(ctx)
}
