package resource

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/program"
)

// scope is a systemd unit in which the command is started. systemd makes its group and removes it, so the account is that of
// the last look.
type scope struct {
	run, ctl    string
	user        bool
	unit, slice string
	limits      Limits
	held        map[Resource]Means

	mount string
	mu    sync.Mutex
	pid   int
	dir   string
	last  reading
}

// scopeTime bounds a call of systemd's programs.
const scopeTime = 5 * time.Second

// newScope tries a scope with limits and notes which of them take effect: a manager may lack controllers.
func newScope(opts Options, tree cgroups) (bounds, error) {
	s := &scope{
		user: os.Getuid() != 0, limits: opts.Limits, mount: tree.v2.mount,
		unit:  strings.ReplaceAll(opts.Owner+"-"+opts.Name, ".", "_") + ".scope",
		slice: strings.NewReplacer("-", "_", ".", "_").Replace(opts.Owner) + ".slice",
	}
	if !managed(s.user) {
		return nil, errors.New("no systemd manager runs for this user")
	}
	if s.mount == "" {
		return nil, errors.New("cgroup v2 is not mounted")
	}
	var err error
	if s.run, err = program.Look(os.Getenv("PATH"), "systemd-run"); err != nil {
		return nil, err
	}
	if s.ctl, err = program.Look(os.Getenv("PATH"), "systemctl"); err != nil {
		return nil, err
	}
	if err := s.try(); err != nil {
		return nil, err
	}
	// The limit in all is a property of the slice.
	return s, s.call(s.ctl, append([]string{"set-property", "--runtime", s.slice}, properties(opts.Total, false)...)...)
}

func managed(user bool) bool {
	path := "/run/systemd/system"
	if user {
		path = filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "systemd", "private")
	}
	_, err := os.Stat(path)
	return err == nil
}

// try starts a scope that prints the limits it sees.
func (s *scope) try() error {
	probe := `cd "` + s.mount + `$(sed -n s/^0:://p /proc/self/cgroup)" && for f in memory.max pids.max cpu.max; do echo "$f $(cat $f)"; done`
	all := Limits{Memory: 64 * mib, Processes: 64, CPU: 1}
	args := append(s.runArgs("probe-"+s.unit, all), shell, "-c", probe)
	ctx, cancel := context.WithTimeout(context.Background(), scopeTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, s.run, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
	}
	s.held = heldByScope(string(out))
	if len(s.held) == 0 {
		return errors.New("the manager has none of the controllers memory, pids, cpu")
	}
	return nil
}

func heldByScope(out string) map[Resource]Means {
	held := map[Resource]Means{}
	for file, r := range map[string]Resource{"memory.max": Memory, "pids.max": Processes, "cpu.max": CPU} {
		for line := range strings.Lines(out) {
			if value, ok := strings.CutPrefix(line, file+" "); ok && value[0] >= '0' && value[0] <= '9' {
				held[r] = Scope
			}
		}
	}
	return held
}

func (s *scope) runArgs(unit string, l Limits) []string {
	args := []string{"--scope", "--quiet", "--unit=" + unit, "--slice=" + s.slice}
	if s.user {
		args = append(args, "--user")
	}
	for _, p := range properties(l, true) {
		args = append(args, "--property="+p)
	}
	return append(args, "--")
}

// properties are how systemd calls limits; the weight is one of all scopes together.
func properties(l Limits, inner bool) []string {
	var out []string
	if l.Memory > 0 {
		out = append(out, fmt.Sprintf("MemoryMax=%d", l.Memory), "MemorySwapMax=0")
	}
	if l.Processes > 0 {
		out = append(out, fmt.Sprintf("TasksMax=%d", l.Processes))
	}
	if l.CPU > 0 {
		out = append(out, fmt.Sprintf("CPUQuota=%.0f%%", l.CPU*100))
	}
	if !inner {
		out = append(out, fmt.Sprintf("CPUWeight=%d", smallWeight))
	}
	return out
}

func (s *scope) call(path string, args ...string) error {
	if s.user {
		args = append([]string{"--user"}, args...)
	}
	ctx, cancel := context.WithTimeout(context.Background(), scopeTime)
	defer cancel()
	if out, err := exec.CommandContext(ctx, path, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(path), err, strings.TrimSpace(string(out)))
	}
	return nil
}

func (s *scope) holds() map[Resource]Means { return s.held }

// busVariables lead systemd-run to the manager. The command that it starts does not get them.
func busVariables() []string { return []string{"XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"} }

func (s *scope) start(cmd *exec.Cmd, start func() error) error {
	before := append([]string{s.run}, s.runArgs(s.unit, s.limits)...)
	before = append(before, "/usr/bin/env")
	var kept []string
	for _, name := range busVariables() {
		has := func(entry string) bool { return strings.HasPrefix(entry, name+"=") }
		if i := slices.IndexFunc(cmd.Env, has); i >= 0 {
			kept = append(kept, cmd.Env[i])
			cmd.Env = slices.DeleteFunc(slices.Clone(cmd.Env), has)
		} else {
			before = append(before, "-u", name)
		}
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(slices.Clone(cmd.Env), name+"="+value)
		}
	}
	prefix(cmd, append(before, kept...))
	if err := start(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pid = cmd.Process.Pid
	return nil
}

// read looks into the scope's group while there is one.
func (s *scope) read() reading {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" && s.pid != 0 {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", s.pid))
		if err != nil {
			return s.last
		}
		for line := range strings.Lines(string(data)) {
			if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok && filepath.Base(path) == s.unit {
				s.dir = filepath.Join(s.mount, path)
			}
		}
	}
	if s.dir == "" {
		return s.last
	}
	if _, err := os.Stat(s.dir); err == nil {
		s.last = s.last.later(readV2(s.dir))
	}
	return s.last
}

// later keeps the figures that a group no longer has while systemd removes it.
func (r reading) later(now reading) reading {
	now.peakMemory, now.peakTasks = max(r.peakMemory, now.peakMemory), max(r.peakTasks, now.peakTasks)
	now.cpu, now.kills, now.refusals = max(r.cpu, now.cpu), max(r.kills, now.kills), max(r.refusals, now.refusals)
	return now
}

// remove forgets a unit that systemd keeps because it failed.
func (s *scope) remove() {
	_ = s.call(s.ctl, "reset-failed", s.unit) // mostly there is none
}
