package simulate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/retention"
)

// contents is how many different packs there are. So few that attempts hand in what another has handed in, or what nobody has named
// for long and is about to be removed.
const contents = 8

// packs are what attempts have handed in, by digest: when each was put last, by the store's clock.
type packs struct {
	mu sync.Mutex
	at map[string]time.Time
}

func packOf(n int) (content, digest string) {
	content = fmt.Sprint("pack ", n)
	sum := sha256.Sum256([]byte(content))
	return content, hex.EncodeToString(sum[:])
}

// shelf is where packs lie as one engine reaches them: objects, as a form that engines share is expected to keep them.
type shelf struct {
	object.Objects // what it does not name, nobody uses here
	by             *member
	sim            *sim
}

func (o *shelf) Put(ctx context.Context, r io.Reader, _ int64) (digest string, size int64, err error) {
	content, err := io.ReadAll(r)
	if err != nil {
		return "", 0, err
	}
	sum := sha256.Sum256(content)
	digest = hex.EncodeToString(sum[:])
	_, err = change(ctx, &port{by: o.by, sim: o.sim}, "put "+digest[:8], false, func() (none, error) {
		o.sim.packs.mu.Lock()
		defer o.sim.packs.mu.Unlock()
		o.sim.packs.at[digest] = o.sim.now()
		return none{}, nil
	})
	return digest, int64(len(content)), err
}

// Each lists what there is, and takes its time to hand it out.
func (o *shelf) Each(ctx context.Context, fn func(object.Entry) error) error {
	list, err := ask(ctx, &port{by: o.by, sim: o.sim}, "list objects", func() (all []object.Entry, err error) {
		o.sim.packs.mu.Lock()
		defer o.sim.packs.mu.Unlock()
		for digest, at := range o.sim.packs.at {
			all = append(all, object.Entry{Digest: digest, Size: 1, At: at})
		}
		return all, nil
	})
	slices.SortFunc(list, func(a, b object.Entry) int { return cmp.Compare(a.Digest, b.Digest) })
	for i := 0; i < len(list) && err == nil; i++ {
		if !o.by.hand.sleep(ctx, o.sim.draw(fmt.Sprint("list ", i, ctx.Value(who{})), time.Second)) {
			return ctx.Err()
		}
		err = fn(list[i])
	}
	return err
}

func (o *shelf) Discard(ctx context.Context, digest string, before time.Time) (gone bool, err error) {
	return change(ctx, &port{by: o.by, sim: o.sim}, "discard "+digest[:8], false, func() (bool, error) {
		o.sim.packs.mu.Lock()
		defer o.sim.packs.mu.Unlock()
		at, there := o.sim.packs.at[digest]
		if there && at.Before(before) && o.sim.now().Sub(at) >= object.Young {
			delete(o.sim.packs.at, digest)
			there = false
			o.sim.tidied++
		}
		return !there, nil
	})
}

// stock lays out packs that nobody names, most of them put long ago.
func (s *sim) stock() {
	for n := range contents {
		if _, digest := packOf(n); s.rng.IntN(4) > 0 {
			s.packs.at[digest] = s.now().Add(-s.within(8 * object.Young))
		}
	}
}

// tidy has some engine remove what nobody names, whatever the others are doing. What is named by then was put long ago: two days
// pass, of which nothing else here takes note, unless somebody else is just tidying.
func (s *sim) tidy() {
	m := s.someone()
	if m == nil {
		return
	}
	if s.tidying.Add(1) == 1 {
		for digest := range s.named {
			s.packs.at[digest] = s.now().Add(-2 * object.Young)
		}
	}
	s.words++
	s.say("%s tidies", m.id)
	ctx := context.WithValue(s.ctx, who{}, fmt.Sprint("tidying ", s.words))
	s.people.Go(func() {
		_, err := retention.Run(ctx, retention.Options{
			State: s.state, Store: m.port, Objects: &shelf{by: m, sim: s}, Left: func(string) error { return nil }, Log: slog.New(slog.DiscardHandler),
		}, retention.Request{Before: time.Now(), ObjectsOnly: true, Remove: true})
		_ = s.gate.pass(s.ctx, &member{id: m.id}, false, fmt.Sprint("has tidied: ", err)) // what failed, the next does
		s.tidying.Add(-1)
	})
}

// name notes what an event names.
func (s *sim) name(e core.Event) {
	for n := range contents {
		if _, digest := packOf(n); strings.Contains(string(e.Body), digest) {
			s.named[digest] = fmt.Sprintf("event %d of %s", e.Seq, e.Stream)
		}
	}
}

// packed: whatever an event names is there.
func (s *sim) packed() {
	s.packs.mu.Lock()
	defer s.packs.mu.Unlock()
	for _, digest := range slices.Sorted(maps.Keys(s.named)) {
		if _, there := s.packs.at[digest]; !there {
			s.breach("object: pack %s, which %s names, is missing", digest[:8], s.named[digest])
		}
	}
}
