package core_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestWhatAnotherVersionWroteIsCalledThat: a newer version's type, version, field
// or actor is told apart from damage, which no version reads.
func TestWhatAnotherVersionWroteIsCalledThat(t *testing.T) {
	t.Parallel()
	paused := func(v int, body string) core.Event {
		return core.Event{ID: "x#42", Seq: 42, Type: core.TypeRunPaused, V: v, Body: json.RawMessage(body)}
	}
	for _, c := range []struct {
		e    core.Event
		code core.Code
		says string
	}{
		{core.Event{Seq: 42, Type: "RunTeleported", V: 1, Body: json.RawMessage(`{}`)}, core.CodeUnsupported, `event 42 has the unknown type "RunTeleported"`},
		{paused(3, `{}`), core.CodeUnsupported, "event 42 is RunPaused of version 3, and this one reads up to version 2"},
		{paused(2, `{"code":"x","mood":1}`), core.CodeUnsupported, `event 42 is RunPaused with the unknown field "mood"`},
		{paused(1, `{"code":"x","mood":1}`), core.CodeUnsupported, `unknown field "mood"`},
		{paused(2, `{"code":7,"mood":1}`), core.CodeInvalid, "body of RunPaused"},
		{paused(2, `{"code":7}`), core.CodeInvalid, "body of RunPaused"},
		{paused(2, `{"code":`), core.CodeInvalid, "body of RunPaused"},
		{paused(2, ``), core.CodeInvalid, "body of RunPaused"},
		{paused(0, `{}`), core.CodeInvalid, "no version 0"},
		{paused(-1, `{}`), core.CodeInvalid, "no version -1"},
	} {
		_, err := core.Decode(c.e)
		foreign := c.code == core.CodeUnsupported
		if core.CodeOf(err) != c.code || errors.Is(err, core.ErrUnreadable) != foreign || !strings.Contains(err.Error(), c.says) || (core.AdviceOf(err).Hint != "") != foreign {
			t.Errorf("%s version %d %s: %s, %v", c.e.Type, c.e.V, c.e.Body, core.CodeOf(err), err)
		}
	}
}

func TestAnActorOfANewerVersion(t *testing.T) {
	t.Parallel()
	for raw, code := range map[string]core.Code{
		`{"kind":"person","id":"me"}`:            "",
		`{"kind":"person","id":"me","team":"a"}`: core.CodeUnsupported,
		`{"kind":7}`:                             core.CodeInvalid,
		`{`:                                      core.CodeInvalid,
	} {
		a, err := core.ReadActor(core.Event{Seq: 7}, []byte(raw))
		if core.CodeOf(err) != code || errors.Is(err, core.ErrUnreadable) != (code == core.CodeUnsupported) || err == nil && a != core.Person("me") {
			t.Errorf("%s: %+v, %v", raw, a, err)
		}
	}
}

// TestBodiesAreWrittenInTheirVersion: what Seal writes has the stored form of the
// version that it names, and this release reads it.
func TestBodiesAreWrittenInTheirVersion(t *testing.T) {
	t.Parallel()
	for _, sample := range samples() {
		form := core.FormOf(core.TypeOf(sample))
		full := reflect.New(reflect.TypeOf(sample)).Elem()
		fill(full, 0)
		e, _, err := core.Seal("run/r", core.Head{}, happened, core.Engine(), "", full.Interface().(core.Body))
		if err != nil || e.V != form.Writes || form.Writes > form.Reads {
			t.Fatalf("%s: version %d of %+v, %v", e.Type, e.V, form, err)
		}
		golden, err := os.ReadFile(filepath.Join("testdata", "event", fmt.Sprintf("%s.v%d.json", e.Type, form.Writes)))
		if err != nil {
			t.Fatal(err)
		}
		var written bytes.Buffer
		if err := json.Indent(&written, e.Body, "", "  "); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.TrimSpace(string(golden)), written.String()); diff != "" {
			t.Errorf("%s is not written as version %d:\n%s", e.Type, e.V, diff)
		}
		if _, err := core.Decode(e); err != nil {
			t.Errorf("%s cannot be read back: %v", e.Type, err)
		}
	}
}

// TestANewVersionIsReadBeforeItIsWritten: a release that reads a version and does
// not write it yet takes its own bodies back to the one before.
func TestANewVersionIsReadBeforeItIsWritten(t *testing.T) {
	t.Parallel()
	form := core.Lowered(2, 1, func(pause map[string]json.RawMessage) {
		pause["next"] = pause["hint"]
		delete(pause, "hint")
		delete(pause, "choices")
	})
	paused := core.RunPaused{Code: core.PausePerson, Reason: "why", Advice: core.Advice{Hint: "wait", Choices: run(core.VerbResume)}}
	raw, err := form.Encode(paused)
	if err != nil {
		t.Fatal(err)
	}
	body, err := core.Decode(core.Event{ID: "x", Type: core.TypeRunPaused, V: form.Writes, Body: raw})
	paused.Choices = nil // which version 1 does not have
	if diff := cmp.Diff(core.Body(paused), body); err != nil || diff != "" {
		t.Errorf("%s is read as: %v\n%s", raw, err, diff)
	}
}

// TestTheReleaseBeforeReadsWhatThisOneWrites, or is named in the same file as
// refused: engines of both share a store while a team upgrades.
func TestTheReleaseBeforeReadsWhatThisOneWrites(t *testing.T) {
	t.Parallel()
	reads, refused := releaseBefore(t)
	for kind, before := range reads {
		golden, err := os.ReadFile(filepath.Join("testdata", "event", fmt.Sprintf("%s.v%d.json", kind, before.version)))
		if err != nil {
			t.Error(err)
		}
		if is := fmt.Sprintf("%x", sha256.Sum256(golden))[:12]; is != before.golden {
			t.Errorf("%s version %d has changed since the release before (golden file %s, was %s): give the new form a version of its own", kind, before.version, is, before.golden)
		}
	}
	for _, sample := range samples() {
		kind := core.TypeOf(sample)
		writes := core.FormOf(kind).Writes
		switch known, allowed := reads[kind].version, refused[kind].version; {
		case writes <= known && allowed == 0:
		case writes <= known:
			t.Errorf("%s: the release before reads version %d, so the file need not name it as refused", kind, writes)
		case writes != allowed:
			t.Errorf("%s is written as version %d, and the release before reads up to version %d: read the new version in one release and write it in the next (Form in version.go)", kind, writes, known)
		}
	}
	for kind := range reads {
		if core.FormOf(kind).Reads == 0 {
			t.Errorf("%s was written by the release before, and this one does not read it", kind)
		}
	}
}

// stored is a version of a type's body, and the beginning of its golden file's digest.
type stored struct {
	version int
	golden  string
}

// releaseBefore is the newest version of each type that the release before reads,
// and what is written nevertheless, because that release is refused.
func releaseBefore(t *testing.T) (reads, refused map[core.Type]stored) {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "release-before.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // only read from
	reads, refused = map[core.Type]stored{}, map[core.Type]stored{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		var verb, kind string
		var is stored
		into := refused
		_, err := fmt.Sscan(lines.Text(), &verb, &kind, &is.version)
		if verb == "reads" {
			into = reads
			_, err = fmt.Sscan(lines.Text(), &verb, &kind, &is.version, &is.golden)
		}
		if _, twice := into[core.Type(kind)]; err != nil || twice || verb != "reads" && verb != "refused" {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		into[core.Type(kind)] = is
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return reads, refused
}
