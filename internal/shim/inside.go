package shim

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/bridge"
	"github.com/stellwerk-dev/stellwerk/internal/resource"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// inside is the sandbox of an agent that has ended. Nothing runs in there but its first process, the bridge, which can hand in:
// that saves a second sandbox. What it says and leaves is a claim, as it is of any hand-in.
type inside struct {
	*running
	of process
}

// handsInInside tells whether the agent's own sandbox can serve to hand in. It cannot if the agent sees another workspace than
// the hand-in would, or if git needs more memory than the agent gets.
func (s Spec) handsInInside(box sandbox.Spec, opts Options) bool {
	if !isLinux || !s.handsInApart() || !s.closed() || s.Session != "" || len(opts.HandIn) == 0 {
		return false
	}
	below := func(p string) bool { return strings.HasPrefix(p, s.Workspace+"/") }
	return s.Resources.forHandIn() == s.Resources &&
		!slices.ContainsFunc(slices.Concat(box.ReadOnly, box.Writable, box.Masked), below)
}

// save hands in. If the agent's sandbox is gone, or cannot do it for whatever reason, another sandbox does.
func (i *inside) save(ctx context.Context, folder string, spec Spec, opts Options) *HandIn {
	if i == nil {
		return handIn(ctx, folder, spec, opts)
	}
	out, err := i.handIn(ctx, folder, spec, opts)
	if err == nil {
		return &out
	}
	i.close()
	if ctx.Err() != nil {
		return &HandIn{Error: fmt.Sprintf("hand in: %v", err)}
	}
	opts.Log.Warn("the agent's sandbox could not hand in; another one does", "error", err)
	return handIn(ctx, folder, spec, opts)
}

// handIn has the bridge hand in, in a new folder below the one that is /tmp inside.
func (i *inside) handIn(ctx context.Context, folder string, spec Spec, opts Options) (HandIn, error) {
	dir, err := os.MkdirTemp(i.of.box.Tmp, "handin-")
	if err != nil {
		return HandIn{}, fmt.Errorf("make the hand-in folder: %w", err)
	}
	shown := filepath.Join(tmpDir(spec.Isolation, i.of.box.Tmp), filepath.Base(dir))
	request := newHandInRequest(spec, shown)
	if kept := keptIndex(folder); kept != "" {
		if err := os.Link(kept, IndexFile(dir)); err != nil {
			return HandIn{}, err
		}
		request.Index = IndexFile(shown)
	}
	if err := writeScratch(filepath.Join(dir, requestFile), request); err != nil {
		return HandIn{}, err
	}
	order := bridge.Request{Argv: append(slices.Clone(opts.HandIn), filepath.Join(shown, requestFile)), Dir: shown, Workspace: spec.Workspace}
	if order.Identity, err = bridge.IdentityOf(spec.Workspace); err != nil {
		return HandIn{}, err
	}
	if order.Env, err = handInVariables(spec, shown, i.of.box.Writable); err != nil {
		return HandIn{}, err
	}
	if err := i.do(ctx, time.Duration(spec.HandInTimeout), order, dir); err != nil {
		return HandIn{}, err
	}
	return acceptHandIn(folder, dir)
}

// do has the bridge carry out a request, within the limits of a hand-in. If that takes too long or too much, the sandbox ends.
func (i *inside) do(ctx context.Context, limit time.Duration, order bridge.Request, dir string) error {
	watcher, err := i.of.group.Watch(resource.Watch{Folders: []string{dir}, Shared: i.of.shared})
	if err != nil {
		return err
	}
	if watcher != nil {
		defer watcher.Stop()
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took longer than %s", limit))
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- i.channel.Do(order) }()
	select {
	case err := <-done:
		return err
	case b := <-watcher.Breaches():
		err = errors.New(b.String())
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	i.tree.kill()
	<-done
	return err
}

// close ends the sandbox and returns when it is gone. Closing none, or one a second time, does nothing.
func (i *inside) close() {
	if i == nil {
		return
	}
	i.channel.Close()
	select {
	case <-i.done:
	case <-time.After(killTime):
		i.tree.kill()
		<-i.done
	}
}
