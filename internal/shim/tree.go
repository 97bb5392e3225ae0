package shim

import (
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/bridge"
	"github.com/stellwerk-dev/stellwerk/internal/resource"
)

// processTree is a process and all its descendants. On Linux the shim is their subreaper, so it still finds a daemon that
// left its parent and its session, as a child of its own.
type processTree struct {
	root int
	// sparedRoot means that the root is the isolation's own process. It gets no TERM, because its end would kill the agent;
	// nor do its child, the first process inside, and the bridge, which end with the agent.
	sparedRoot bool
	// first means that the first process inside may be the one that the tree is about.
	first bool
	// beside are children of the shim that are not the agent's, and are left alone with theirs.
	beside func() []int
}

const (
	killLook = 10 * time.Millisecond
	killTime = 10 * time.Second
)

// members are the living processes of the tree. It reaps zombies that are children of the shim. On systems that do not give
// orphans to the shim, it adds those of the root's session.
func (t processTree) members() []int {
	table, self := resource.ProcessTable(), os.Getpid()
	inside := map[int]bool{self: true}
	for pid, p := range table {
		if !isLinux && p.Session == t.root {
			inside[pid] = true
		}
	}
	resource.Descend(table, inside)
	delete(inside, self)
	others := map[int]bool{}
	for _, pid := range t.others() {
		others[pid] = true
	}
	resource.Descend(table, others)
	var out []int
	for pid := range inside {
		p := table[pid]
		switch {
		case others[pid]:
		case !p.Zombie:
			out = append(out, pid)
		case p.Parent == self && pid != t.root:
			reap(pid)
		}
	}
	return out
}

func (t processTree) others() []int {
	if t.beside == nil {
		return nil
	}
	return t.beside()
}

// ask sends TERM to every member, and reports whether it reached one that does not belong to the isolation. The first process
// inside does until it has become its program: it may not have heard, so it is asked again.
func (t processTree) ask() (reached bool) {
	for _, pid := range t.members() {
		first := false
		if t.sparedRoot {
			p, lives := resource.ReadProcess(pid)
			first = p.Parent == t.root
			if !lives || pid == t.root || first && !t.first || strings.TrimSpace(processName(pid)) == bridge.Name {
				continue
			}
		}
		reached = reached || !first
		send(pid, syscall.SIGTERM)
	}
	return reached
}

// kill ends every member, again and again until none is left, since a process may fork while the table is read. It
// returns how many it ended, without the root.
func (t processTree) kill() int {
	ended := map[int]bool{}
	for deadline := time.Now().Add(killTime); time.Now().Before(deadline); time.Sleep(killLook) {
		members := t.members()
		if len(members) == 0 {
			break
		}
		for _, pid := range members {
			if send(pid, syscall.SIGKILL) && pid != t.root {
				ended[pid] = true
			}
		}
	}
	return len(ended)
}

// end removes what outlived the root, first with TERM and then with KILL. It returns how many processes that were.
func (t processTree) end(grace time.Duration) int {
	if childless() { // the usual case, and the table of all processes takes its time
		return 0
	}
	left := t.members()
	if len(left) == 0 {
		return 0
	}
	t.ask()
	for deadline := time.Now().Add(grace); time.Now().Before(deadline); time.Sleep(killLook) {
		now := t.members()
		if len(now) == 0 {
			return len(left)
		}
		for _, pid := range now {
			if !slices.Contains(left, pid) {
				left = append(left, pid)
			}
		}
	}
	return max(len(left), t.kill())
}

// reapOrphans collects ended children other than the root, so that a long attempt gathers no zombies.
func (t processTree) reapOrphans() {
	others := t.others()
	for _, pid := range ownChildren() {
		if pid != t.root && !slices.Contains(others, pid) {
			reap(pid)
		}
	}
}

func reap(pid int) {
	var status syscall.WaitStatus
	for {
		if _, err := syscall.Wait4(pid, &status, syscall.WNOHANG, nil); err != syscall.EINTR {
			return
		}
	}
}
