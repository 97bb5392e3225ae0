package wire

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// Root stands for the attempt's root in a parcel: spec, prompt and links name paths below it, and whoever unpacks it puts
// the real one in its place.
const Root = "/stellwerk-attempt-root"

// Names below the root that are not files of the parcel.
const (
	WorkName     = "work"
	YardName     = "yard"
	ToolsName    = "tools"
	SelfName     = "bin/stellwerk"
	ResourceName = "resources"
	PricesName   = "prices.json"
)

// Carried are the places whose files are part of a parcel, beside the attempt's folder.
func Carried() []string { return []string{WorkName, ToolsName, PricesName} }

const (
	specName   = "spec.json"
	draftName  = ".spec.json"
	promptName = "prompt.md"
	originName = "home/plan-origin.json"
)

// maxParcel bounds what is unpacked.
const maxParcel = 1 << 30

// Move maps a path by the longest of the beginnings that it has.
func Move(paths map[string]string) func(string) string {
	froms := make([]string, 0, len(paths))
	for from := range paths {
		froms = append(froms, from)
	}
	slices.SortFunc(froms, func(a, b string) int { return len(b) - len(a) })
	return func(p string) string {
		for _, from := range froms {
			if rest, ok := strings.CutPrefix(p, from); ok && (rest == "" || rest[0] == '/') {
				return paths[from] + rest
			}
		}
		return p
	}
}

// text replaces paths in a text that names them.
func text(content []byte, paths map[string]string) []byte {
	froms := make([]string, 0, len(paths))
	for from := range paths {
		froms = append(froms, from)
	}
	slices.SortFunc(froms, func(a, b string) int { return len(b) - len(a) })
	for _, from := range froms {
		content = bytes.ReplaceAll(content, []byte(from), []byte(paths[from]))
	}
	return content
}

// Pack writes the parcel of an attempt: its spec, and the trees, each below a name ("" for the root itself). Paths maps what
// spec, prompt, note of the plan and links name to paths below Root.
func Pack(w io.Writer, spec shim.Spec, trees map[string]string, paths map[string]string) error {
	out := tar.NewWriter(w)
	spec.Private = nil // of the engine's machine
	data, err := json.Marshal(spec.Moved(Move(paths)))
	if err != nil {
		return fmt.Errorf("pack the attempt's spec: %w", err)
	}
	if err := add(out, specName, 0o600, data); err != nil {
		return err
	}
	names := make([]string, 0, len(trees))
	for name := range trees {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if err := packTree(out, name, trees[name], paths); err != nil {
			return fmt.Errorf("pack %s: %w", trees[name], err)
		}
	}
	return out.Close()
}

func packTree(out *tar.Writer, below, dir string, paths map[string]string) error {
	return filepath.WalkDir(dir, func(p string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && p == dir {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		name := path.Join(below, filepath.ToSlash(rel))
		if name == "." || name == specName || name == draftName {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir():
			return out.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: int64(info.Mode().Perm())})
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(p)
			if err != nil {
				return err
			}
			return out.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: Move(paths)(target)})
		case !info.Mode().IsRegular():
			return nil // a socket or pipe of this machine
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		if name == promptName || name == originName {
			data = text(data, paths)
		}
		return add(out, name, info.Mode().Perm(), data)
	})
}

func add(out *tar.Writer, name string, mode fs.FileMode, data []byte) error {
	header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: int64(mode), Size: int64(len(data)), ModTime: time.Unix(0, 0)}
	if err := out.WriteHeader(header); err != nil {
		return err
	}
	_, err := out.Write(data)
	return err
}

// Unpack lays a parcel out below root, and returns its spec, which is written by its caller when everything else is there.
// Paths maps what the parcel names below Root to paths of this machine, beside Root itself, which becomes root.
func Unpack(r io.Reader, root string, paths map[string]string) (shim.Spec, error) {
	all := map[string]string{Root: root}
	for from, to := range paths {
		all[from] = to
	}
	move := Move(all)
	var spec shim.Spec
	in := tar.NewReader(io.LimitReader(r, maxParcel))
	for {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return spec.Moved(move), nil
		}
		if err != nil {
			return spec, fmt.Errorf("unpack the attempt: %w", err)
		}
		name := path.Clean(header.Name)
		if !filepath.IsLocal(name) {
			return spec, fmt.Errorf("unpack the attempt: %q leads out of it", header.Name)
		}
		if name == specName {
			if err := json.NewDecoder(in).Decode(&spec); err != nil {
				return spec, fmt.Errorf("unpack the attempt's spec: %w", err)
			}
			continue
		}
		if err := unpackEntry(in, header, filepath.Join(root, filepath.FromSlash(name)), name, move, all); err != nil {
			return spec, fmt.Errorf("unpack %s: %w", name, err)
		}
	}
}

func unpackEntry(in io.Reader, header *tar.Header, target, name string, move func(string) string, paths map[string]string) error {
	mode := fs.FileMode(header.Mode).Perm()
	if header.Typeflag == tar.TypeDir {
		return os.MkdirAll(target, mode|0o700)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return err
	}
	if err := os.RemoveAll(target); err != nil {
		return err
	}
	if header.Typeflag == tar.TypeSymlink {
		return os.Symlink(move(header.Linkname), target)
	}
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	if name == promptName || name == originName {
		data = text(data, paths)
	}
	return os.WriteFile(target, data, mode)
}
