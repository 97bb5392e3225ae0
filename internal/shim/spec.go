package shim

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// Proto is the version of the attempt folder's files.
const Proto = 1

// Spec describes one attempt completely and holds no secret. The engine writes it before it asks for a start and never
// changes it.
type Spec struct {
	Proto        int    `json:"proto"`
	Project      string `json:"project"`
	Run          string `json:"run"`
	Task         string `json:"task"`
	Attempt      string `json:"attempt"`
	Trigger      string `json:"trigger,omitempty"`
	Conversation string `json:"conversation,omitempty"`
	// Repository is the project's, without a credential; TriggeredBy the task whose
	// end called for this one, by its id in the table of tasks.
	Repository  string `json:"repository,omitempty"`
	TriggeredBy string `json:"triggered_by,omitempty"`

	// Session is the interactive session whose agent does the work; empty if the shim starts the agent.
	Session string `json:"session,omitempty"`

	Agent string    `json:"agent"`
	Job   agent.Job `json:"job"`

	// Workspace is the clone to hand in when Writes is code; empty means Job.Dir.
	Workspace         string        `json:"workspace,omitempty"`
	Base              string        `json:"base,omitempty"`
	Branch            string        `json:"branch,omitempty"`
	IntegrationBranch string        `json:"integration_branch,omitempty"`
	Writes            core.Writes   `json:"writes"`
	CommitMessage     string        `json:"commit_message,omitempty"`
	Mark              bool          `json:"mark,omitempty"` // make a checkpoint even if the agent committed everything
	Identity          core.Identity `json:"identity"`

	Isolation sandbox.Kind `json:"isolation"`
	// Timeout ends the agent, Grace is the time between TERM and KILL, HandInTimeout ends the hand-in, and
	// CancelledHandIn ends that of an attempt that was cancelled, before or meanwhile.
	Timeout         Duration `json:"timeout"`
	Grace           Duration `json:"grace,omitempty"`
	HandInTimeout   Duration `json:"hand_in_timeout,omitempty"`
	CancelledHandIn Duration `json:"cancelled_hand_in,omitempty"`
	// OutputBytes bounds what is kept of the agent's output; FileBytes and TotalBytes bound its output folder.
	OutputBytes int64 `json:"output_bytes,omitempty"`
	FileBytes   int64 `json:"file_bytes,omitempty"`
	TotalBytes  int64 `json:"total_bytes,omitempty"`

	Resources Resources `json:"resources,omitzero"`

	Env map[string]string `json:"env,omitempty"`
	// Secrets names variables whose values the shim finds in its own environment.
	Secrets []string `json:"secrets,omitempty"`
	// Redact names variables that may be in the shim's environment so that it removes their values from everything that is
	// kept. The agent does not get them.
	Redact []string `json:"redact,omitempty"`
	// Model is how the agent reaches its model; nil if that is the agent's own affair.
	Model *Model `json:"model,omitempty"`
	// Tools is the folder PATH begins with.
	Tools string `json:"tools,omitempty"`
	// ReadOnly and Writable are shown to the agent in addition to what Job names; ReadOnly to the hand-in too. Masked
	// stays hidden even if something above it is shown: the state folder belongs here.
	ReadOnly []string `json:"read_only,omitempty"`
	Writable []string `json:"writable,omitempty"`
	Masked   []string `json:"masked,omitempty"`
	// Network is what the attempt can connect to; the hand-in connects to nothing.
	Network Network `json:"network,omitzero"`
	// Settings are for the package managers of the attempt.
	Settings Settings `json:"settings,omitzero"`
	// Private are the system's private files as the engine last saw them. If it is null, the shim searches for them.
	Private []string `json:"private"`
	// Bubblewrap is the one that the engine last saw on this machine.
	Bubblewrap sandbox.Bubblewrap `json:"bubblewrap,omitzero"`

	// Copied means that the spec was written for another state folder, and read in a copy of it or after a move. Its paths were
	// changed; the prompt still names the old ones.
	Copied bool `json:"-"`
}

// Defaults of limits a Spec leaves at zero.
const (
	defaultGrace           = 10 * time.Second
	defaultHandInTimeout   = 10 * time.Minute
	defaultCancelledHandIn = time.Minute
	defaultOutputBytes     = 64 << 20
	defaultFileBytes       = 64 << 20
	defaultTotalBytes      = 256 << 20
)

// Duration is written as text ("30m0s"), so that a person can read a spec.
type Duration time.Duration

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	*d = Duration(v)
	return err
}

// WriteSpec makes folder and puts spec into it. Writing it again before the start replaces it.
func WriteSpec(folder string, spec Spec) error {
	if err := DraftSpec(folder, spec); err != nil {
		return err
	}
	return FinishSpec(folder)
}

// specDraft is where a spec waits until everything it names is there.
const specDraft = ".spec.json"

// DraftSpec writes the content of a spec where no shim looks for it yet.
func DraftSpec(folder string, spec Spec) error {
	spec.Proto = Proto
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make the attempt folder: %w", err)
	}
	data, err := encode(specFile, spec)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, specDraft), data, 0o600); err != nil {
		return fmt.Errorf("write the attempt's spec: %w", err)
	}
	return nil
}

// FinishSpec makes the draft the spec. Name and content become durable with the shim's claim, which syncs both before
// it marks the attempt as started: a machine that fails before that has no attempt either, and the spec is made again.
func FinishSpec(folder string) error {
	if err := os.Rename(filepath.Join(folder, specDraft), filepath.Join(folder, specFile)); err != nil {
		return fmt.Errorf("finish the attempt's spec: %w", err)
	}
	return nil
}

// ReadSpec reads and checks the spec of folder and fills in what it leaves to defaults. In a copy of the folder it names the copy.
func ReadSpec(folder string) (Spec, error) {
	var spec Spec
	if err := readJSON(filepath.Join(folder, specFile), "the attempt's spec", &spec); err != nil {
		return spec, err
	}
	spec.fill(folder)
	spec = spec.found(folder)
	return spec, spec.check()
}

func (s *Spec) fill(folder string) {
	setDefault(&s.Workspace, s.Job.Dir)
	setDefault(&s.Job.Out, filepath.Join(folder, "out"))
	setDefault(&s.Job.Home, filepath.Join(folder, "home"))
	setDefault(&s.Grace, Duration(defaultGrace))
	setDefault(&s.HandInTimeout, Duration(defaultHandInTimeout))
	setDefault(&s.CancelledHandIn, Duration(defaultCancelledHandIn))
	setDefault(&s.OutputBytes, defaultOutputBytes)
	setDefault(&s.FileBytes, defaultFileBytes)
	setDefault(&s.TotalBytes, defaultTotalBytes)
}

func setDefault[T comparable](value *T, fallback T) {
	var zero T
	if *value == zero {
		*value = fallback
	}
}

func (s *Spec) check() error {
	if err := checkProto("spec", s.Proto); err != nil {
		return err
	}
	switch {
	case s.Attempt == "":
		return errors.New("spec names no attempt")
	case !filepath.IsAbs(s.Job.Dir):
		return fmt.Errorf("spec's working directory %q is not absolute", s.Job.Dir)
	case s.Timeout <= 0:
		return errors.New("spec has no timeout")
	case s.Isolation == "":
		return errors.New("spec names no isolation")
	}
	switch s.Writes {
	case core.WritesCode, core.WritesArtifacts, core.WritesPlan:
		return nil
	default:
		return fmt.Errorf("spec writes %q, which is none of code, artifacts, plan", s.Writes)
	}
}

func (s *Spec) limits() outputLimits { return outputLimits{file: s.FileBytes, total: s.TotalBytes} }
