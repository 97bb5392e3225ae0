package yard

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// ImportSpec says what to take from a bundle, and which refs it gets.
type ImportSpec struct {
	Bundle   string
	Ref      string // gets the delivered commit, usually below Attempts
	Left     string // prefix for left-over commits, numbered below it; empty leaves them in the bundle. Not below Ref: git cannot have both
	Base     string // the commit the attempt started from
	MaxBytes int64
	// Keep stores the bundle for good, once git has checked everything in it and before a ref names it, and returns its digest.
	// Nil keeps nothing.
	Keep func(ctx context.Context, bundle io.Reader) (digest string, err error)
}

// Imported is what arrived in the yard.
type Imported struct {
	Commit string // Base if the bundle holds left-overs only
	Tree   string
	Left   []string // left-over commits, now at Left/0, Left/1 …
	Pack   string   // what Keep returned
}

// Import takes an attempt's bundle into the yard. It does not trust the bundle: it copies it out of the attempt's reach,
// bounds its size and that of the trees in it, and has git check every object before it creates a ref. It never moves a ref;
// importing the same bundle again gives the same result. Errors: *TooBigError, ErrCorrupt, ErrPrerequisites, and *MovedError
// if Ref holds another commit.
func (y *Yard) Import(ctx context.Context, spec ImportSpec) (result Imported, err error) {
	defer wrap(&err, "import bundle %s", spec.Bundle)
	if err := checkRef(spec.Ref); err != nil {
		return Imported{}, err
	}
	base, err := y.Resolve(ctx, spec.Base)
	if err != nil {
		return Imported{}, err
	}
	file, err := y.takeCopy(spec)
	if err != nil {
		return Imported{}, err
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	if err := y.scan(ctx, file); err != nil {
		return Imported{}, err
	}
	reader := bufio.NewReader(file)
	content, err := readBundleHeader(reader)
	if err != nil {
		return Imported{}, err
	}
	if err := y.unpack(ctx, reader, content); err != nil {
		return Imported{}, err
	}
	if spec.Left == "" {
		content.left = nil
	}
	result = Imported{Commit: cmp.Or(content.head, base), Left: content.left}
	if spec.Keep != nil {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return Imported{}, err
		}
		if result.Pack, err = spec.Keep(ctx, file); err != nil {
			return Imported{}, err
		}
	}
	if err := y.nameImported(ctx, spec, content); err != nil {
		return Imported{}, err
	}
	result.Tree, err = y.Tree(ctx, result.Commit)
	return result, err
}

// takeCopy copies the bundle into the yard, where nobody can change it while it is read.
func (y *Yard) takeCopy(spec ImportSpec) (_ *os.File, err error) {
	source, err := os.OpenFile(spec.Bundle, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	info, err := source.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: not a regular file", ErrCorrupt)
	}
	if info.Size() > spec.MaxBytes {
		return nil, &TooBigError{What: "the bundle", Size: info.Size(), Limit: spec.MaxBytes}
	}
	target, err := os.CreateTemp(filepath.Join(y.dir, incomingDir), "bundle-")
	if err != nil {
		return nil, err
	}
	n, err := io.Copy(target, io.LimitReader(source, spec.MaxBytes+1))
	if err == nil && n > spec.MaxBytes {
		err = &TooBigError{What: "the bundle", Limit: spec.MaxBytes}
	}
	if err == nil {
		_, err = target.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, target.Close(), os.Remove(target.Name()))
	}
	return target, nil
}

// scan checks the sizes in a bundle before git reads it, and rewinds the file.
func (y *Yard) scan(ctx context.Context, file *os.File) error {
	reader := bufio.NewReader(file)
	if _, err := readBundleHeader(reader); err != nil {
		return err
	}
	if err := scanPack(ctx, reader, y.pack); err != nil {
		return err
	}
	_, err := file.Seek(0, io.SeekStart)
	return err
}

// unpack brings the bundle's objects in, without a ref. It feeds the pack to index-pack itself, because
// git fetch applies transfer.fsckObjects to other repositories but, in many versions, not to bundles. With --strict it refuses
// an object that names one which neither the pack nor the yard has. No object ever leaves the yard, so that holds for whatever
// those name in turn: nothing is missing behind a commit that was taken in.
func (y *Yard) unpack(ctx context.Context, pack io.Reader, content bundleContent) error {
	for _, commit := range content.prerequisites {
		if _, err := y.Resolve(ctx, commit); errors.Is(err, ErrNotFound) {
			return fmt.Errorf("%w: %w", ErrPrerequisites, err)
		} else if err != nil {
			return err
		}
	}
	// Big blobs are streamed rather than held in memory.
	g := y.git().withConfig("core.bigFileThreshold=16m")
	g.memory = y.memory
	if err := g.stream(ctx, pack, io.Discard, "index-pack", "--stdin", "--fix-thin", "--strict"); err != nil {
		return classifyImport(ctx, err)
	}
	for _, commit := range content.commits() {
		if hash, err := y.Resolve(ctx, commit); err != nil || hash != commit {
			return fmt.Errorf("%w: %s is not a commit: %w", ErrCorrupt, commit, notFoundOr(err))
		}
		if err := y.vet(ctx, commit); err != nil {
			return classifyImport(ctx, err)
		}
	}
	return nil
}

// classifyImport marks a failure with ErrCorrupt if the bundle caused it, not the machine.
func classifyImport(ctx context.Context, err error) error {
	if _, tooBig := errors.AsType[*TooBigError](err); tooBig {
		return err
	}
	switch {
	case ctx.Err() != nil || exitCode(err) < 0 && !broke(err):
		return err
	case stderrHas(err, "No space left", "Read-only file system", "Permission denied", "Input/output error", "unable to create temporary", "Disk quota"):
		return err
	case outOfMemory(err): // by a limit of ours
		return &TooBigError{What: "the memory that git needs to read the bundle", Limit: maxGitMemory}
	}
	return fmt.Errorf("%w: %w", ErrCorrupt, err)
}

func (y *Yard) nameImported(ctx context.Context, spec ImportSpec, content bundleContent) error {
	var moves []move
	if content.head != "" {
		moves = append(moves, move{ref: spec.Ref, new: content.head})
	}
	for i, commit := range content.left {
		moves = append(moves, move{ref: LeftRef(spec.Left, i), new: commit})
	}
	return y.moveAll(ctx, moves)
}
