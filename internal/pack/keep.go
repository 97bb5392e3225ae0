// Package pack keeps the commits of a project among the objects, and brings its yard back from them. Before an event names a
// new commit, a pack of what is new in it is an object, and the event names its digest; so store and objects together hold
// all code, and a yard is a cache. The package must not decide anything about runs, and reads no repository but those that
// events say stand for the commit that a run began at.
package pack

import (
	"context"
	"errors"
	"io"

	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Keep puts a pack of commits, without what others have, among the objects and returns its digest. Events have named the
// others before.
func Keep(ctx context.Context, objects object.Objects, y *yard.Yard, commits []string, others ...string) (string, error) {
	in, out := io.Pipe()
	made := make(chan error, 1)
	go func() {
		err := y.WriteBundle(ctx, out, commits, others)
		made <- errors.Join(err, out.CloseWithError(err))
	}()
	digest, _, err := objects.Put(ctx, in, 0)
	// Otherwise the process that makes it would wait for ever for a reader.
	return digest, errors.Join(err, in.Close(), <-made)
}
