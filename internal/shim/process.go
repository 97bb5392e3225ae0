package shim

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

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
	// group bounds it, nil if nothing does, and ends with it; own are the folders whose growth is its use of the disk, and
	// shared is where it tells others what it uses.
	group  *resource.Group
	own    []string
	shared string
	// joined leaves it in the session and the process group that this program was started in, whose owner ends it there.
	joined bool
	// started is called once, when the process has its files or when it will never need them.
	started func()
}

// ending is how a process ended.
type ending struct {
	reason Reason
	code   int
	signal syscall.Signal
	killed int
	// unrouted counts packets to addresses that a closed network has no way to.
	unrouted int64
	// took is nil where nothing bounds the process.
	took *Consumption
}

const (
	// orphanLook is how often children that came to the shim after their parent's end are reaped.
	orphanLook = time.Second
	// leftoverGrace is what processes get between TERM and KILL that outlived an agent which ended by itself.
	leftoverGrace = 2 * time.Second
)

// run starts the process and returns when neither it nor a descendant is left. The error says why it could not start.
func (p process) run(ctx context.Context) (ending, error) {
	bound, err := p.watch()
	if err != nil {
		p.started()
		return ending{}, err
	}
	cmd, launch, done, err := p.start(bound)
	p.started()
	if err != nil {
		bound.close(nil)
		return ending{}, err
	}
	tree := processTree{root: cmd.Process.Pid, sparedRoot: p.kind == sandbox.Sandbox && isLinux}
	end := p.wait(ctx, tree, done, bound.breaches())
	end.killed += tree.end(min(p.grace, leftoverGrace))
	end.code, end.signal = exitStatus(cmd.ProcessState, p.kind)
	end.took = bound.close(cmd.ProcessState)
	end.unrouted, err = launch.Unrouted()
	return end, err
}

func (p process) start(bound *bound) (*exec.Cmd, sandbox.Launch, <-chan struct{}, error) {
	if err := becomeSubreaper(); err != nil {
		return nil, sandbox.Launch{}, nil, err
	}
	p.box.Inside = bound.inside()
	launch, err := sandbox.Command(p.kind, p.box)
	if err != nil {
		return nil, sandbox.Launch{}, nil, err
	}
	cmd := exec.Command(launch.Argv[0], launch.Argv[1:]...) //nolint:noctx // wait ends it with all its descendants, and TERM comes before KILL
	cmd.Path, cmd.Err = lookPath(p.kind, p.box, launch.Argv[0])
	cmd.Dir, cmd.Env = p.box.Dir, p.box.Env
	cmd.Stdout, cmd.Stderr = p.stdout, p.stderr
	if p.stdin != nil {
		cmd.Stdin = p.stdin
	}
	cmd.SysProcAttr = sessionAttr()
	cmd.SysProcAttr.Setsid = !p.joined
	launch.Around = bound.around(cmd)
	done, err := launch.Start(cmd)
	if err != nil {
		return nil, sandbox.Launch{}, nil, fmt.Errorf("start %s: %w", p.box.Argv[0], err)
	}
	return cmd, launch, done, nil
}

// lookPath finds the program by the PATH it will have, not by the shim's.
func lookPath(kind sandbox.Kind, box sandbox.Spec, name string) (string, error) {
	if kind == sandbox.Sandbox {
		return name, nil
	}
	return sandbox.LookPath(box, name)
}

// wait returns when the process itself has ended, by its own choice or by force.
func (p process) wait(ctx context.Context, tree processTree, done <-chan struct{}, breaches <-chan resource.Breach) ending {
	limit := time.NewTimer(p.limit)
	defer limit.Stop()
	orphans := time.NewTicker(orphanLook)
	defer orphans.Stop()
	for {
		select {
		case <-done:
			return ending{reason: ReasonExited}
		case <-orphans.C:
			tree.reapOrphans()
		case <-breaches: // what takes too much gets no time to take more
			killed := tree.kill()
			<-done
			return ending{reason: ReasonLimit, killed: killed}
		case <-limit.C:
			return ending{reason: ReasonTimeout, killed: p.stop(tree, done)}
		case <-ctx.Done():
			return ending{reason: ReasonCancelled, killed: p.stop(tree, done)}
		}
	}
}

// stop asks the whole tree to end, waits for the grace time, and then ends it. It returns how many it ended besides
// the process itself. Where the isolation is still being set up there is no agent to ask yet, so it asks again until
// there was one; after that it does not, or it would end what an agent starts to save its work.
func (p process) stop(tree processTree, done <-chan struct{}) int {
	grace := time.NewTimer(p.grace)
	defer grace.Stop()
	again := time.NewTicker(killLook)
	defer again.Stop()
	for asked := tree.ask(); ; {
		select {
		case <-done:
			return 0
		case <-grace.C:
			killed := tree.kill()
			<-done
			return killed
		case <-again.C:
			asked = asked || tree.ask()
		}
	}
}

// exitStatus gives a signal as 128 plus its number. bubblewrap reports its child's signal in the same form.
func exitStatus(state *os.ProcessState, kind sandbox.Kind) (int, syscall.Signal) {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok {
		return state.ExitCode(), 0
	}
	if status.Signaled() {
		return 128 + int(status.Signal()), status.Signal()
	}
	code := status.ExitStatus()
	if kind == sandbox.Sandbox && code > 128 && code <= 128+int(syscall.SIGSYS) {
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

// send delivers a signal; a process that is gone already needs none.
func send(pid int, s syscall.Signal) bool {
	err := syscall.Kill(pid, s)
	return err == nil || !errors.Is(err, syscall.ESRCH)
}
