package remote

import (
	"context"
	"errors"
	"net/http"
	"path"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

// complete refuses an end that names what has not arrived, or that no engine could collect: an attempt whose end was taken is
// collected until that succeeds.
func (x *Exchange) complete(ctx context.Context, r request, end wire.End) error {
	known, _, err := x.parts(ctx, r)
	if err != nil {
		return err
	}
	files, err := arrived(end.Files, known)
	if err != nil {
		return err
	}
	if err := readable(end, r.id, files); err != nil {
		return err
	}
	for name, extent := range end.Streams {
		last, err := x.Store.Document(ctx, kindStream, chunkKey(r.id, name, extent.Last))
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if err != nil || extent.Last+int64(len(last.Data)) != extent.Length { // what is before it came before it
			return refuse(http.StatusConflict, "%s has not arrived up to byte %d", name, extent.Length)
		}
	}
	return nil
}

// arrived are the names of files that have arrived and can lie in one folder together.
func arrived(files []wire.File, known parts) (map[string]bool, error) {
	names, folders, total := map[string]bool{}, map[string]bool{}, int64(0)
	for _, file := range files {
		if !wire.HandedIn(file.Name) {
			return nil, refuse(http.StatusBadRequest, "%.80q is no file that is handed in", file.Name)
		}
		var size int64
		for _, part := range file.Parts {
			if is, there := known[part.Digest]; !there || is != part.Size {
				return nil, refuse(http.StatusConflict, "a part of %s has not arrived", file.Name)
			}
			size += part.Size
		}
		if size != file.Size {
			return nil, refuse(http.StatusBadRequest, "the parts of %s have %d bytes, and not %d", file.Name, size, file.Size)
		}
		if total += size; total > wire.MaxHandedIn { // one part may be in many places
			return nil, refuse(http.StatusRequestEntityTooLarge, "an attempt hands in at most %d bytes", int64(wire.MaxHandedIn))
		}
		if names[file.Name] {
			return nil, refuse(http.StatusBadRequest, "%s is there twice", file.Name)
		}
		names[file.Name] = true
		for dir := path.Dir(file.Name); dir != "."; dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	for name := range names {
		if folders[name] {
			return nil, refuse(http.StatusBadRequest, "%s is a file, and a folder of others", name)
		}
	}
	return names, nil
}

// readable refuses an exit.json that is another attempt's, that this program cannot read, or whose bundle is not among the files.
func readable(end wire.End, id spawn.ID, files map[string]bool) error {
	var exit shim.Exit
	if err := strictjson.Unmarshal(end.Exit, &exit); err != nil || exit.Attempt != "" && exit.Attempt != id.Attempt {
		return refuse(http.StatusBadRequest, "the end is not that of this attempt: %v", err)
	}
	if exit.Proto != shim.Proto {
		return refuse(http.StatusBadRequest, "the end has protocol %d; this engine reads %d", exit.Proto, shim.Proto)
	}
	hand := exit.HandIn
	if hand == nil || hand.Bundle == "" && (hand.Empty || hand.Error != "" || hand.Gone != "") {
		return nil
	}
	if hand.Bundle != wire.FileBundle || !files[wire.FileBundle] {
		return refuse(http.StatusBadRequest, "the end names the bundle %.80q, which was not handed in", hand.Bundle)
	}
	return nil
}
