package shim

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/bridge"
	"github.com/stellwerk-dev/stellwerk/internal/resource"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// process is one command under supervision, together with all it starts.
type process struct {
	kind   sandbox.Kind
	box    sandbox.Spec
	stdin  *os.File
	stdout *os.File
	stderr *os.File
	limit  time.Duration
	grace  time.Duration
	// group bounds it, nil if nothing does; own are the folders that only it writes to, whose growth is its
	// use of the disk, and shared is where it tells others what it uses.
	group  *resource.Group
	own    []string
	shared string
	// joined leaves it in the session and the process group of this program, whose owner may end both.
	joined bool
	// beside are children of this program that have nothing to do with it.
	beside func() []int
	// started is called once, when the process has its files or has failed to start.
	started func()
	// stays keeps a sandbox when the command has ended, for what its bridge can still do. The bridge is started with a channel.
	stays bool
}

// ending is how a process ended.
type ending struct {
	reason Reason
	code   int
	signal syscall.Signal
	killed int
	// unrouted counts packets to addresses that a closed network has no route to.
	unrouted int64
	// took is nil if nothing bounds the process.
	took *Consumption
	// inside is the sandbox that stayed; nil if it has ended too. Whoever gets it closes it.
	inside *inside
}

const (
	// orphanLook is how often the shim reaps children that it got when their parent ended.
	orphanLook = time.Second
	// leftoverGrace is what processes that outlived their agent get between TERM and KILL.
	leftoverGrace = 2 * time.Second
)

// run starts the process and returns when it and all its descendants have ended, apart from a sandbox that stays. The error
// says why it could not start.
func (p process) run(ctx context.Context) (ending, error) {
	watcher, err := p.group.Watch(resource.Watch{Folders: paths(p.own, []string{p.box.Tmp}), Shared: p.shared})
	if err != nil {
		p.started()
		return ending{}, err
	}
	r, err := p.start()
	p.started()
	if err != nil {
		consumption(p.group, watcher, usage{})
		return ending{}, err
	}
	end := p.wait(ctx, r, watcher.Breaches())
	if r.stayed == nil {
		end.killed += r.tree.end(min(p.grace, leftoverGrace))
		end.code, end.signal = exitStatus(r.cmd.ProcessState, p.kind)
		end.took = consumption(p.group, watcher, usageOf(r.cmd.ProcessState))
	} else {
		end.code, end.signal = fromInside(r.stayed.Code)
		end.took = consumption(p.group, watcher, usage{cpu: r.stayed.CPU, memory: r.stayed.Memory})
		end.inside = &inside{running: r, of: p}
	}
	end.unrouted, err = r.launch.Unrouted()
	return end, err
}

// running is a process that was started.
type running struct {
	cmd    *exec.Cmd
	launch sandbox.Launch
	tree   processTree
	done   <-chan struct{} // closed when it has ended
	// ended is closed when its command has ended: with it, or before it if it stays. Then stayed says how.
	ended   <-chan struct{}
	channel *bridge.Channel
	stayed  *bridge.Ending
}

// await finds out whether the sandbox stays when the command has ended.
func (r *running) await() {
	ended := make(chan struct{})
	r.ended = ended
	go func() {
		defer close(ended)
		end, err := r.channel.Ending()
		if err != nil {
			r.channel.Close()
			<-r.done
			return
		}
		r.stayed = &end
	}()
}

func (p process) start() (*running, error) {
	if err := becomeSubreaper(); err != nil {
		return nil, err
	}
	p.box.Inside = p.group.Inside()
	launch, err := sandbox.Command(p.kind, p.box)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(launch.Argv[0], launch.Argv[1:]...) //nolint:noctx // wait ends it with all its descendants, and TERM comes before KILL
	if p.kind != sandbox.Sandbox {                          // by the PATH that it will have, not by the shim's
		cmd.Path, cmd.Err = sandbox.LookPath(p.box, launch.Argv[0])
	}
	cmd.Dir, cmd.Env = p.box.Dir, p.box.Env
	cmd.Stdout, cmd.Stderr = p.stdout, p.stderr
	if p.stdin != nil {
		cmd.Stdin = p.stdin
	}
	cmd.SysProcAttr = sessionAttr()
	cmd.SysProcAttr.Setsid = !p.joined
	if len(p.box.Network.Starter) == 0 {
		p.group.BoundFiles(cmd)
	}
	launch.Around = func(start func() error) error { return p.group.Start(cmd, start) }
	r := &running{cmd: cmd, launch: launch}
	if err := r.start(p.stays); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.box.Argv[0], err)
	}
	r.tree = processTree{root: cmd.Process.Pid, sparedRoot: p.kind == sandbox.Sandbox && isLinux, first: p.box.First, beside: p.beside}
	return r, nil
}

// start starts the process, with a channel to its bridge if it stays.
func (r *running) start(stays bool) (err error) {
	if !stays {
		r.done, err = r.launch.Start(r.cmd)
		r.ended = r.done
		return err
	}
	channel, theirs, err := bridge.NewChannel()
	if err != nil {
		return err
	}
	r.channel, r.launch.Files = channel, []*os.File{theirs}
	r.done, err = r.launch.Start(r.cmd)
	if err = errors.Join(err, theirs.Close()); err != nil {
		channel.Close()
		return err
	}
	r.await()
	return nil
}

// wait returns when the command itself has ended, by its own choice or by force.
func (p process) wait(ctx context.Context, r *running, breaches <-chan resource.Breach) ending {
	limit := time.NewTimer(p.limit)
	defer limit.Stop()
	orphans := time.NewTicker(orphanLook)
	defer orphans.Stop()
	for {
		select {
		case <-r.ended:
			return ending{reason: ReasonExited}
		case <-orphans.C:
			r.tree.reapOrphans()
		case <-breaches: // no grace: it would take more
			killed := r.tree.kill()
			<-r.ended
			return ending{reason: ReasonLimit, killed: killed}
		case <-limit.C:
			return ending{reason: ReasonTimeout, killed: p.stop(r)}
		case <-ctx.Done():
			return ending{reason: ReasonCancelled, killed: p.stop(r)}
		}
	}
}

// stop asks the whole tree to end, waits for the grace time, and then ends it. It returns how many descendants it ended.
// While the isolation is being set up there is no agent to ask yet, so it asks again until it reached one; then it stops
// asking, or it would end what an agent starts to save its work.
func (p process) stop(r *running) int {
	grace := time.NewTimer(p.grace)
	defer grace.Stop()
	again := time.NewTicker(killLook)
	defer again.Stop()
	for asked := r.tree.ask(); ; {
		select {
		case <-r.ended:
			return 0
		case <-grace.C:
			killed := r.tree.kill()
			<-r.ended
			return killed
		case <-again.C:
			asked = asked || r.tree.ask()
		}
	}
}

// exitStatus gives a signal as 128 plus its number, as bubblewrap does for its child.
func exitStatus(state *os.ProcessState, kind sandbox.Kind) (int, syscall.Signal) {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok {
		return state.ExitCode(), 0
	}
	if status.Signaled() {
		return 128 + int(status.Signal()), status.Signal()
	}
	if kind == sandbox.Sandbox {
		return fromInside(status.ExitStatus())
	}
	return status.ExitStatus(), 0
}

// fromInside reads the exit code of a sandbox.
func fromInside(code int) (int, syscall.Signal) {
	if code > 128 && code <= 128+int(syscall.SIGSYS) {
		return code, syscall.Signal(code - 128)
	}
	return code, 0
}

func signalName(s syscall.Signal) string {
	if s == 0 {
		return ""
	}
	return s.String()
}

// send sends a signal and reports whether the process was there.
func send(pid int, s syscall.Signal) bool {
	err := syscall.Kill(pid, s)
	return err == nil || !errors.Is(err, syscall.ESRCH)
}
