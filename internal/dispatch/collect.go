package dispatch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Limits of what an attempt may hand in.
const (
	maxBundle     = 1 << 30
	maxArtifact   = 64 << 20
	maxReport     = 1 << 20
	maxContext    = 256 << 10
	maxDocuments  = 200
	maxTranscript = 1 << 30 // the supervisor bounds it far below
)

// reportFile is the artifact whose context is merged into the run's.
const reportFile = "report.json"

// collect takes over what an ended attempt handed in and reports its end. The
// order is that of the state: objects and what git keeps first, then the event that
// names them. Only then is the workspace removed: its content is safe.
func (d *Dispatcher) collect(ctx context.Context, run *core.Run, attempt string) error {
	_, task, a := run.Attempt(attempt)
	if a == nil {
		return nil
	}
	folder, err := d.Exchange.Receive(ctx, spawn.ID{Run: run.ID, Attempt: attempt})
	if err != nil {
		return err
	}
	exit, err := shim.ReadExit(folder)
	if err != nil {
		return err
	}
	clean := d.redactor(run) // a salvaged exit was written without the secrets' values
	body := core.AttemptExited{
		Attempt: attempt, Kind: exitKind(exit), Code: exit.ExitCode, Class: string(exit.Outcome.Class),
		Message: clean.String(message(folder, exit)), Summary: clean.String(plain.ClipBytes(exit.Outcome.Summary, 2000)),
		RetryAt:  exit.Outcome.RetryAt,
		Duration: exit.EndedAt.Sub(exit.StartedAt), Observed: exit.Outcome.Observed,
		Traffic:   trafficOf(exit.Traffic, clean),
		Resources: consumption(exit),
	}
	claimed := exit.Outcome.Usage
	claimed.CostUSD = max(claimed.CostUSD, exit.Outcome.CostUSD)
	body.Usage = atLeast(usageOf(claimed, exit.Outcome.Turns), a.Usage)
	if body.Metered, err = settle(folder); err != nil {
		return err
	}
	if task.Kind == core.KindManage {
		cutOff(folder, &body)
	}
	if body.Kind != core.ExitNoStart {
		if err := d.takeOver(ctx, run, task, a, folder, exit, &body); err != nil {
			return err
		}
		if err := d.excuse(ctx, run, exit, &body); err != nil {
			return err
		}
		for i, text := range body.Delivery.Rejected {
			body.Delivery.Rejected[i] = clean.String(text)
		}
	}
	body.Hopeless = hopeless(exit, body)
	if err := d.report(ctx, run, body); err != nil {
		return err
	}
	d.tidy(run, attempt)
	return d.Exchange.Forget(ctx, spawn.ID{Run: run.ID, Attempt: attempt})
}

// hopeless reports an end that a further attempt would meet in the same way: its
// program is missing, or it has no credential. Either may happen after the work
// was done, so what was handed in is looked at.
func hopeless(exit shim.Exit, body core.AttemptExited) bool {
	switch exit.Outcome.Class {
	case agent.ClassAuth, agent.ClassMissing:
		return body.Delivery == nil || body.Delivery.Empty && len(body.Delivery.Artifacts) == 0
	default:
		return exit.Hopeless
	}
}

// takeOver stores what an attempt left: its delivery and, meanwhile, its transcript.
func (d *Dispatcher) takeOver(ctx context.Context, run *core.Run, task *core.Task, a *core.Attempt, folder string, exit shim.Exit, body *core.AttemptExited) error {
	kept := make(chan error, 1)
	go func() {
		var err error
		body.Transcript, err = d.transcript(ctx, run, a.ID, folder, exit)
		kept <- err
	}()
	var err error
	body.Delivery, err = d.delivery(ctx, run, task, a, folder, exit)
	return errors.Join(<-kept, err)
}

// message says how an attempt failed: what its program reported, and the last
// thing it wrote to standard error.
func message(folder string, exit shim.Exit) string {
	text := cmp.Or(exit.Outcome.Message, exit.Detail)
	if limit := breach(exit); limit != "" {
		text = strings.TrimSuffix(limit+": "+text, ": ")
	}
	if exit.Outcome.OK && exit.ExitCode == 0 {
		return text
	}
	entries, err := shim.Tail(folder, 0)
	if err != nil {
		return text
	}
	for i := len(entries) - 1; i >= 0; i-- {
		if r := entries[i].Record; r.Kind == agent.KindStderr && strings.TrimSpace(r.Text) != "" {
			return strings.TrimPrefix(text+": "+plain.ClipBytes(strings.TrimSpace(r.Text), 500), ": ")
		}
	}
	return text
}

func exitKind(exit shim.Exit) core.ExitKind {
	switch exit.Reason {
	case shim.ReasonTimeout:
		return core.ExitTimeout
	case shim.ReasonCancelled:
		return core.ExitCancelled
	case shim.ReasonStartFailed:
		return core.ExitNoStart
	case shim.ReasonLost:
		return core.ExitLost
	case shim.ReasonLimit:
		return core.ExitFailed
	case shim.ReasonExited:
		if exit.ExitCode == 0 && exit.Outcome.OK {
			return core.ExitFinished
		}
	}
	return core.ExitFailed
}

func (d *Dispatcher) delivery(ctx context.Context, run *core.Run, task *core.Task, a *core.Attempt, folder string, exit shim.Exit) (*core.Delivery, error) {
	delivery := &core.Delivery{Empty: true}
	for _, r := range exit.Refused {
		delivery.Rejected = append(delivery.Rejected, fmt.Sprintf("%s: %s", r.Name, r.Reason))
	}
	if task.Writes == core.WritesCode {
		if err := d.code(ctx, run, run.Stage(task.Stage), a, folder, exit, delivery); err != nil {
			return nil, err
		}
	}
	return delivery, d.artifacts(ctx, run, task, folder, exit, delivery)
}

// plainName reports a name that a document can have in every folder it is kept
// in.
func plainName(name string) bool {
	return name != "" && len(name) <= 200 && !strings.HasPrefix(name, ".") &&
		!strings.ContainsAny(name, "/\\") && !strings.ContainsFunc(name, unicode.IsControl)
}

// artifacts keeps the files of an attempt's output folder. The folder was the
// agent's: it is opened as a root that nothing leads out of.
func (d *Dispatcher) artifacts(ctx context.Context, run *core.Run, task *core.Task, folder string, exit shim.Exit, delivery *core.Delivery) error {
	spec, err := shim.ReadSpec(folder)
	if err != nil {
		return err
	}
	if len(exit.Outputs) == 0 {
		return nil
	}
	root, err := shim.OpenOutput(spec.Job.Out)
	if errors.Is(err, os.ErrNotExist) {
		delivery.Rejected = append(delivery.Rejected, "the output folder is gone")
		return nil
	}
	if err != nil {
		return fmt.Errorf("open the output folder: %w", err)
	}
	defer func() { _ = root.Close() }() // only read from
	stage := run.Stage(task.Stage)
	for _, out := range exit.Outputs {
		if len(delivery.Artifacts) == maxDocuments {
			delivery.Rejected = append(delivery.Rejected, fmt.Sprintf("%d documents are taken at most; the others were left out", maxDocuments))
			break
		}
		if !plainName(out.Name) {
			delivery.Rejected = append(delivery.Rejected, fmt.Sprintf("%.80q: a document has a plain name, without folders or a leading dot", out.Name))
			continue
		}
		content, err := d.read(root, out)
		if err != nil {
			delivery.Rejected = append(delivery.Rejected, fmt.Sprintf("%s: %v", out.Name, err))
			continue
		}
		content = d.redactor(run).Bytes(content)
		artifact, err := d.keepArtifact(ctx, run, run.Shelf(task), stage.Round, out.Name, content)
		if err != nil {
			return err
		}
		delivery.Artifacts = append(delivery.Artifacts, artifact)
		if out.Name == reportFile {
			takeReport(delivery, content)
		}
	}
	return nil
}

// keepArtifact keeps a document among the objects and in the run's folder.
func (d *Dispatcher) keepArtifact(ctx context.Context, run *core.Run, shelf string, round int, name string, content []byte) (core.Artifact, error) {
	copied := make(chan error, 1)
	go func() { copied <- d.Folder.Artifact(run.ID, shelf, round, name, content) }()
	digest, size, err := d.Objects.Put(ctx, bytes.NewReader(content), maxArtifact)
	return core.Artifact{Name: name, Digest: digest, Size: size}, errors.Join(err, <-copied)
}

func (d *Dispatcher) read(root *os.Root, out shim.Output) ([]byte, error) {
	f, err := root.Open(filepath.FromSlash(out.Name))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read from
	content, err := io.ReadAll(io.LimitReader(f, maxArtifact+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > maxArtifact {
		return nil, fmt.Errorf("larger than %d bytes", maxArtifact)
	}
	return content, nil
}

// takeReport merges what the agent reports. It is a report: checks on it say
// so, and a malformed one is named instead of guessed at.
func takeReport(delivery *core.Delivery, content []byte) {
	if len(content) > maxReport {
		delivery.Rejected = append(delivery.Rejected, fmt.Sprintf("%s: larger than %d bytes", reportFile, maxReport))
		return
	}
	var report struct {
		Context map[string]any `json:"context"`
	}
	if err := strictjson.Unmarshal(content, &report); err != nil {
		delivery.Rejected = append(delivery.Rejected, fmt.Sprintf("%s: %v", reportFile, err))
		return
	}
	if context := encode(report.Context); len(context) > maxContext {
		delivery.Rejected = append(delivery.Rejected, fmt.Sprintf("%s: its context has %d bytes, at most %d are kept", reportFile, len(context), maxContext))
	} else if len(report.Context) > 0 {
		delivery.Context = context
	}
}

// transcript keeps what the agent did, as far as it could be seen.
func (d *Dispatcher) transcript(ctx context.Context, run *core.Run, attempt, folder string, exit shim.Exit) (string, error) {
	path := filepath.Join(folder, "out.jsonl")
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the transcript: %w", err)
	}
	defer func() { _ = f.Close() }() // only read from
	copied := make(chan error, 1)
	go func() { copied <- d.Folder.Transcript(run.ID, attempt, path, exit.Outcome.Observed) }()
	digest, _, err := d.Objects.Put(ctx, f, maxTranscript)
	return digest, errors.Join(err, <-copied)
}

// workspace is where an attempt worked: in a place of its own, or in the one
// that an agent of a session was given.
func (d *Dispatcher) workspace(run *core.Run, attempt string) string {
	if spec, err := shim.ReadSpec(d.Layout.Attempt(run.ID, attempt)); err == nil {
		return spec.Workspace
	}
	return d.Layout.Workspace(run.ID, attempt)
}

// leavings are what to remove of an ended attempt's workspace. An agent of a session may still
// be in its folder to say its last words, and its program refuses to work in a folder that is
// gone: then only the contents go.
func (d *Dispatcher) leavings(run *core.Run, attempt string) []string {
	dir := d.workspace(run, attempt)
	if dir == d.Layout.Workspace(run.ID, attempt) {
		return []string{dir}
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		d.Log.Warn("a workspace could not be read", "folder", dir, "error", err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, filepath.Join(dir, e.Name()))
	}
	return all
}

// tidy removes what an ended attempt no longer needs; what it handed in is in
// the yard and among the objects.
func (d *Dispatcher) tidy(run *core.Run, attempt string) {
	folder := d.Layout.Attempt(run.ID, attempt)
	for _, dir := range append(d.leavings(run, attempt),
		filepath.Join(folder, "home"), filepath.Join(folder, "handin"), filepath.Join(folder, "out"),
		filepath.Join(folder, "out.bundle"),
	) {
		if err := yard.RemoveWorkspace(dir); err != nil {
			d.Log.Warn("a folder could not be removed", "folder", dir, "error", err)
		}
	}
}
