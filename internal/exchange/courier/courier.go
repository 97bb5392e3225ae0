// Package courier is the worker's side of an exchange over HTTP. It claims an attempt, lays it out in a folder of this
// machine's own, where a shim carries it out as it would anywhere, and brings to the engines what the shim writes there:
// output as it comes, then the delivery, then how it ended. The folder is the spool: while no engine answers, everything
// waits there in its order. The agent must never get the courier's token, which could hand in anything in its name.
package courier

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// Options say which attempt to carry out, and how.
type Options struct {
	// Order names the engines, the attempt's token, and where its folder is made, out of the reach of other users.
	wire.Order
	// Self is the program that the attempt's tools start.
	Self string
	// Lay makes what a parcel does not hold: if the attempt gets code, a yard with its base, and the workspace. Unpacked waits for
	// the spec, which is unpacked meanwhile.
	Lay func(ctx context.Context, root string, base *Base, unpacked func() (shim.Spec, error)) error
	// Supervise carries out the attempt in a folder.
	Supervise func(ctx context.Context, folder string) error
	Log       *slog.Logger
}

// Base is the commit that an attempt begins with, as a yard writes one.
type Base struct {
	Commit  string
	Shallow []byte
	Pack    io.Reader
}

// claimTime is how long a worker tries to claim its attempt: long enough for an engine to start again or be replaced. Until
// then the worker has nothing to lose, and an engine that finds the attempt unclaimed starts another worker.
const claimTime = 5 * time.Minute

// patience is how long a worker that has claimed its attempt tries to reach an engine: to fetch what it begins with, and to hand
// in what it has. It is long, because agent time is money.
const patience = 24 * time.Hour

// attempt is one attempt under way.
type attempt struct {
	Options
	client *client
	root   string
	tools  string // where the attempt's tools are, and their socket
	most   int64  // bytes of a bundle or workspace that is sent
	stays  bool   // there is work in the folder that was not sent
}

// Run carries out the attempt that the token stands for. It returns nil when the engines have everything, and ErrGivenUp if
// they want nothing of it, ErrClaimed if another worker has it.
func Run(ctx context.Context, o Options) (err error) {
	name := make([]byte, 16)
	if _, err := rand.Read(name); err != nil {
		return fmt.Errorf("name this worker: %w", err)
	}
	a := &attempt{Options: o, most: maxSent, client: newClient(o.URL, o.Token, hex.EncodeToString(name))}
	defer a.client.http.CloseIdleConnections()
	claiming, stop := context.WithTimeoutCause(ctx, claimTime, fmt.Errorf("gave up after %s", claimTime))
	defer stop()
	var given wire.Start
	if err := a.post(claiming, wire.PathClaim, wire.Claim{Worker: a.client.worker}, decoded(&given)); err != nil {
		if errors.Is(err, errTaken) {
			return ErrClaimed
		}
		return fmt.Errorf("claim the attempt: %w", err)
	}
	held, err := a.makeRoot(given.Attempt)
	if err != nil {
		return fmt.Errorf("make the attempt's folder: %w", err)
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	if a.tools, err = toolFolder(a.root); err != nil {
		return err
	}
	err = a.carryOut(ctx, given)
	if err == nil && !a.stays || errors.Is(err, ErrGivenUp) { // otherwise the work may be nowhere else
		err = errors.Join(err, removeRoot(a.root))
	}
	return err
}

// carryOut begins when this worker has the attempt for itself: from here on it always says how it ended.
func (a *attempt) carryOut(ctx context.Context, given wire.Start) error {
	if err := a.heed(given.Word); err != nil {
		return err
	}
	unheard := beside(ctx, func(ctx context.Context) error { return a.listen(ctx, given.Word.Seq) })
	p := newPump(a)
	still := beside(ctx, p.run)
	saved := beside(ctx, a.save)
	err := a.lay(ctx, given)
	if err == nil {
		err = a.supervise(ctx)
	}
	if _, exitErr := shim.ReadExit(a.root); exitErr != nil { // it has not come so far
		err = shim.WriteStartFailed(a.root, cmp.Or(err, exitErr))
	} else if err != nil { // what it has done is there, and is handed in
		a.Log.Warn("the attempt has ended, and then its supervisor failed", "error", err)
		err = nil
	}
	err = errors.Join(err, saved(), still())
	if err == nil {
		handing, done := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer done()
		err = a.handIn(handing, p)
	}
	if heard := unheard(); err == nil && !errors.Is(heard, ErrGivenUp) { // which the end itself leads to
		err = heard
	}
	return err
}

// beside does something until the function that it returns is called, which tells how it went. It outlives ctx: a worker
// that was told to end still hands in.
func beside(ctx context.Context, do func(context.Context) error) (stop func() error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan error, 1)
	go func() { done <- do(ctx) }()
	return func() error {
		cancel()
		return <-done
	}
}

// supervise carries out the attempt, with a way to the engines for its tools.
func (a *attempt) supervise(ctx context.Context) error {
	closeTools, err := a.serveTools(ctx)
	if err != nil {
		return err
	}
	return errors.Join(a.Supervise(ctx, a.root), closeTools())
}

// post sends a message, and reads the answer if there is something to read it with.
func (a *attempt) post(ctx context.Context, path string, message any, read func(io.Reader) error) error {
	data, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("%w: %w", errRefused, err)
	}
	return a.client.insist(ctx, "POST", path, data, read)
}

// lay fetches what the attempt begins with.
func (a *attempt) lay(ctx context.Context, given wire.Start) (err error) {
	fetching, stop := context.WithTimeout(ctx, patience)
	defer stop()
	parcel, pack, err := a.fetchBoth(fetching, given)
	defer func() { _ = errors.Join(parcel.Close(), pack.Close()) }() // only read from
	if err != nil {
		return err
	}
	var base *Base
	if b := given.Offer.Base; b != nil {
		base = &Base{Commit: b.Commit, Shallow: b.Shallow, Pack: pack}
	}
	places := map[string]string{wire.SelfName: a.Self, wire.ToolsName: a.tools, wire.ResourceName: a.Resources}
	paths := map[string]string{}
	for name, path := range places {
		if path != "" {
			paths[wire.Root+"/"+name], paths[filepath.Join(a.root, filepath.FromSlash(name))] = path, path
		}
	}
	var spec shim.Spec
	var failed error
	done := make(chan struct{})
	go func() {
		defer close(done)
		spec, failed = wire.Unpack(parcel, a.root, paths)
		spec.Masked = append(spec.Masked, a.Masked...)
	}()
	err = a.Lay(ctx, a.root, base, func() (shim.Spec, error) {
		<-done
		return spec, failed
	})
	<-done
	if err = cmp.Or(failed, err); err != nil {
		return err
	}
	return shim.WriteSpec(a.root, spec)
}
