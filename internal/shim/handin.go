package shim

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

// HandInRequest is what the hand-in child is asked to do: commit what is uncommitted in Workspace with Message, write
// a bundle of HEAD without Base to Bundle, and say so as a HandInResult in Result.
type HandInRequest struct {
	Proto     int           `json:"proto"`
	Attempt   string        `json:"attempt"`
	Workspace string        `json:"workspace"`
	Base      string        `json:"base"`
	Index     string        `json:"index,omitempty"` // of Base, as the workspace was made; empty if there is none
	Branch    string        `json:"branch"`
	Message   string        `json:"message"`
	Mark      bool          `json:"mark,omitempty"`
	Identity  core.Identity `json:"identity"`
	Bundle    string        `json:"bundle"`
	Result    string        `json:"result"`
	// Live means that the agent is at work in the workspace, in which nothing is to be changed. When dates the commit, and
	// MaxBytes bounds the bundle, unless they are zero.
	Live     bool      `json:"live,omitempty"`
	When     time.Time `json:"when,omitzero"`
	MaxBytes int64     `json:"max_bytes,omitempty"`
}

// HandInResult is the child's answer. The agent's code may run beside the child, so it is a claim; whoever fetches the bundle
// checks it.
type HandInResult struct {
	Commit string `json:"commit"`
	// Empty means that Commit is Base and there is no bundle.
	Empty bool `json:"empty,omitempty"`
	// Gone says why there was no workspace to look at. It is Empty then, too, which says nothing about the work.
	Gone string `json:"gone,omitempty"`
	// Checkpoint means that uncommitted work was committed.
	Checkpoint bool `json:"checkpoint,omitempty"`
	// Mark means that nothing was uncommitted, and the child made a commit that changes nothing.
	Mark bool `json:"mark,omitempty"`
	// Left are commits beside Commit that the bundle holds; Notes say what was unusual.
	Left  []string `json:"left,omitempty"`
	Notes []string `json:"notes,omitempty"`
}

// HandIn is what became of the workspace. Bundle is a path relative to the attempt folder; Error says why there is
// nothing to fetch.
type HandIn struct {
	HandInResult
	Bundle string `json:"bundle,omitempty"`
	Size   int64  `json:"size,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
	Error  string `json:"error,omitempty"`
}

// ReadHandInRequest reads the request the child was started with.
func ReadHandInRequest(path string) (HandInRequest, error) {
	var req HandInRequest
	if err := readJSON(path, "the hand-in request", &req); err != nil {
		return req, err
	}
	return req, checkProto("the hand-in request", req.Proto)
}

// WriteResult gives the child's answer.
func (r HandInRequest) WriteResult(result HandInResult) error { return writeScratch(r.Result, result) }

// handIn waits for space on a full disk for a while, because the attempt's work is at stake.
func handIn(ctx context.Context, folder string, spec Spec, opts Options) *HandIn {
	for try := 1; ; try++ {
		full := diskFull(folder)
		out, err := tryHandIn(ctx, folder, spec, opts, func(*HandInRequest) {})
		if err == nil {
			return &out
		}
		if !full && !noSpace(err) && !diskFull(folder) || try == fullDiskTries || ctx.Err() != nil {
			return &HandIn{Error: err.Error()}
		}
		time.Sleep(fullDiskPause)
	}
}

func noSpace(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// diskFull tries to write, because a child whose log is on a full disk cannot say so.
func diskFull(folder string) bool {
	const little = 64 << 10
	probe := filepath.Join(folder, ".space")
	err := os.WriteFile(probe, make([]byte, little), 0o600)
	return noSpace(errors.Join(err, os.Remove(probe)))
}

func tryHandIn(ctx context.Context, folder string, spec Spec, opts Options, change func(*HandInRequest)) (HandIn, error) {
	dir := filepath.Join(folder, handInDir)
	// A salvage may find what an earlier try left.
	if err := os.RemoveAll(dir); err != nil {
		return HandIn{}, fmt.Errorf("clear the hand-in folder: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return HandIn{}, fmt.Errorf("make the hand-in folder: %w", err)
	}
	if len(opts.HandIn) == 0 {
		return HandIn{}, errors.New("no hand-in command is set")
	}
	run := runHandIn
	if !spec.handsInApart() && opts.HandInHere != nil {
		run = handInHere
	}
	request := newHandInRequest(spec, dir)
	request.Index = keptIndex(folder)
	change(&request)
	path := filepath.Join(dir, requestFile)
	if err := writeScratch(path, request); err != nil {
		return HandIn{}, err
	}
	if err := run(ctx, spec, opts, dir, path); err != nil {
		return HandIn{}, err
	}
	return acceptHandIn(folder, dir)
}

// newHandInRequest asks for the work of an attempt. Dir is where the answer goes.
func newHandInRequest(spec Spec, dir string) HandInRequest {
	return HandInRequest{
		Proto: Proto, Attempt: spec.Attempt, Workspace: spec.Workspace, Base: spec.Base, Branch: spec.Branch,
		Message: spec.CommitMessage, Mark: spec.Mark, Identity: spec.Identity,
		Bundle: filepath.Join(dir, bundleFile), Result: filepath.Join(dir, resultFile),
	}
}

// handsInApart reports an attempt whose workspace is not handed in by this process, but behind the wall.
func (s Spec) handsInApart() bool { return s.Writes == core.WritesCode && s.Isolation != sandbox.None }

// handInHere hands in without a process of its own. Git is bounded as it is in one.
func handInHere(ctx context.Context, spec Spec, opts Options, _, request string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, time.Duration(spec.HandInTimeout), fmt.Errorf("it took longer than %s", time.Duration(spec.HandInTimeout)))
	defer cancel()
	if err := opts.HandInHere(ctx, request); err != nil {
		return fmt.Errorf("hand in: %w", err)
	}
	return nil
}

func runHandIn(ctx context.Context, spec Spec, opts Options, dir, request string) error {
	argv := append(append([]string{}, opts.HandIn...), request)
	box, err := handInBox(spec, opts.Self, dir, argv)
	if err != nil {
		return fmt.Errorf("hand in: %w", err)
	}
	group, err := spec.Resources.forHandIn().group(spec.Attempt+"-hand-in", spec.Isolation, opts.Reserved)
	if err != nil {
		return fmt.Errorf("hand in: %w", err)
	}
	defer opts.aside(group.Close)
	log, err := os.OpenFile(filepath.Join(dir, "log"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("hand in: %w", err)
	}
	end, err := process{
		kind: spec.Isolation, box: box, stdout: log, stderr: log,
		limit: time.Duration(spec.HandInTimeout), grace: time.Duration(spec.Grace),
		group: group, shared: spec.Resources.Shared, own: []string{dir},
		beside: opts.Beside, started: func() {},
	}.run(ctx)
	if err == nil && end.took != nil && end.took.Breach != nil && (end.reason != ReasonExited || end.code != 0) {
		err = errors.New(end.took.Breach.String())
	} else if err == nil && (end.reason != ReasonExited || end.code != 0) {
		err = fmt.Errorf("%s with code %d: %s", end.reason, end.code, lastWords(log))
	}
	if err = errors.Join(err, log.Close()); err != nil {
		return fmt.Errorf("hand in: %w", err)
	}
	return nil
}

// acceptHandIn takes the bundle out of dir, which is in the child's reach, and measures it. It refuses links and special files.
func acceptHandIn(folder, dir string) (HandIn, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return HandIn{}, fmt.Errorf("hand in: %w", err)
	}
	defer func() { _ = root.Close() }() // only read from
	const maxResult = 64 << 10
	data, err := readRegular(root, resultFile, maxResult)
	if err != nil {
		return HandIn{}, fmt.Errorf("hand in: %w", err)
	}
	var out HandIn
	if err := strictjson.Unmarshal(data, &out.HandInResult); err != nil {
		return HandIn{}, fmt.Errorf("hand in: its result: %w", err)
	}
	if out.Empty {
		return out, nil
	}
	file, err := openRegular(root, bundleFile)
	if err != nil {
		return HandIn{}, fmt.Errorf("hand in: %w", err)
	}
	hash := sha256.New()
	out.Size, err = io.Copy(hash, file)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return HandIn{}, fmt.Errorf("hand in: read the bundle: %w", err)
	}
	out.Bundle, out.SHA256 = bundleFile, hex.EncodeToString(hash.Sum(nil))
	if err := os.Rename(filepath.Join(dir, bundleFile), filepath.Join(folder, bundleFile)); err != nil {
		return HandIn{}, fmt.Errorf("hand in: keep the bundle: %w", err)
	}
	return out, syncFile(folder)
}

// openRegular opens a regular file and follows no link, as a root does while it stays inside.
func openRegular(root *os.Root, name string) (*os.File, error) {
	named, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !named.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !os.SameFile(named, info) {
		err = fmt.Errorf("%s was replaced while it was opened", name)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

func readRegular(root *os.Root, name string, limit int64) ([]byte, error) {
	file, err := openRegular(root, name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s is larger than %d bytes", name, limit)
	}
	return data, errors.Join(err, file.Close())
}

// lastWords is the end of the child's output, for the error message; empty if the log cannot be read.
func lastWords(log *os.File) string {
	const most = 2000
	info, err := log.Stat()
	if err != nil {
		return ""
	}
	data := make([]byte, min(info.Size(), most))
	if _, err := log.ReadAt(data, info.Size()-int64(len(data))); err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	return strings.ToValidUTF8(strings.TrimSpace(string(data)), "\uFFFD")
}
