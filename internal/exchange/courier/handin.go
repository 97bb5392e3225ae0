package courier

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

const exitFile = "exit.json"

// handIn sends everything that is left, in order: the rest of the streams, the files, and how the attempt ended.
func (a *attempt) handIn(ctx context.Context, p *pump) error {
	exit, err := shim.ReadExit(a.root)
	if err != nil {
		return err
	}
	if err := p.all(ctx, true); err != nil {
		return err
	}
	end := wire.End{Streams: p.at}
	names, err := a.files(&exit)
	if err != nil {
		return err
	}
	if end.Exit, err = json.Marshal(exit); err != nil {
		return fmt.Errorf("say how the attempt ended: %w", err)
	}
	for round := 1; ; round++ {
		if end.Files, err = a.uploadAll(ctx, a.root, names); err != nil {
			return err
		}
		err = a.post(ctx, wire.PathEnd, end, nil)
		if !errors.Is(err, errTaken) || round == handInRounds {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("say how the attempt ended: %w", err)
	}
	return nil
}

// handInRounds is how often files are handed in if an engine misses a part at the end: a checkpoint that arrived late has given
// up one that was there when this worker asked.
const handInRounds = 3

func (a *attempt) uploadAll(ctx context.Context, dir string, names []string) ([]wire.File, error) {
	var files []wire.File
	for _, name := range names {
		file, err := a.upload(ctx, dir, name)
		if err != nil {
			return nil, fmt.Errorf("hand in %s: %w", name, err)
		}
		files = append(files, file)
	}
	return files, nil
}

// named are the files that an exit names.
func named(exit shim.Exit) (names []string) {
	for _, out := range exit.Outputs {
		names = append(names, wire.FolderOut+out.Name)
	}
	if exit.HandIn != nil && exit.HandIn.Bundle != "" {
		names = append(names, exit.HandIn.Bundle)
	}
	return names
}

// files are those that an exit names, and those that go with them. The exit says of what is too large that it stays here.
func (a *attempt) files(exit *shim.Exit) ([]string, error) {
	if err := a.leaveBundle(exit.HandIn); err != nil {
		return nil, err
	}
	names := named(*exit)
	if exit.HandIn != nil && exit.HandIn.Error != "" && hasWorkspace(a.root) { // the work is nowhere else
		sent, err := a.workspace(exit.HandIn)
		if err != nil {
			return nil, fmt.Errorf("pack the workspace: %w", err)
		}
		names = append(names, sent...)
	}
	info, err := os.Lstat(filepath.Join(a.root, filepath.FromSlash(wire.FileOrigin)))
	if err == nil && info.Mode().IsRegular() {
		names = append(names, wire.FileOrigin)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return names, nil
}

// upload sends a file below a folder in parts. Those that an engine has already are not sent again.
func (a *attempt) upload(ctx context.Context, dir, name string) (_ wire.File, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return wire.File{}, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	file, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return wire.File{}, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	whole, buffer := wire.File{Name: name}, make([]byte, wire.MaxPart)
	for {
		n, err := io.ReadFull(file, buffer)
		if n > 0 {
			part := wire.Object{Digest: wire.Digest(buffer[:n]), Size: int64(n)}
			if err := a.sendPart(ctx, part, buffer[:n]); err != nil {
				return wire.File{}, err
			}
			whole.Parts, whole.Size = append(whole.Parts, part), whole.Size+int64(n)
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return whole, nil
		}
		if err != nil {
			return wire.File{}, err
		}
	}
}

// worthAsking is from which size on it is cheaper to ask whether a part is there than to send it.
const worthAsking = 64 << 10

func (a *attempt) sendPart(ctx context.Context, part wire.Object, data []byte) error {
	path := wire.PathPart + part.Digest
	if part.Size >= worthAsking {
		err := a.client.insist(ctx, http.MethodHead, path, nil, nil)
		if err == nil || !errors.Is(err, errRefused) {
			return err
		}
	}
	return a.client.insist(ctx, http.MethodPut, path, data, nil)
}
