package runfolder

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/disktest"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func TestFullDisk(t *testing.T) {
	f := openAt(t, filepath.Join(disktest.Mount(t, "size=64k"), "run"))
	events := history(t, 2000, "a")
	done := 0
	var err error
	for ; err == nil && done < len(events); done++ {
		err = f.Append(events[:done+1], core.Decode)
	}
	if core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), "disk is full") || wording.Hint(err) == "" {
		t.Fatalf("after %d events: %v", done, err)
	}
	done-- // the last one failed
	m, err := ReadManifest(f.at(ManifestFile))
	if err != nil || len(m.Events) < done {
		t.Fatalf("%d events of %d acknowledged, %v", len(m.Events), done, err)
	}
	if err := f.Artifact("plan", 1, "plan.md", bytes.NewReader(make([]byte, 1<<20))); core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("artifact: %v", err)
	}
}

func TestReadOnlyFolder(t *testing.T) {
	disk := disktest.Mount(t, "size=1m")
	f := openAt(t, filepath.Join(disk, "run"))
	events := history(t, 2, "a")
	appendAll(t, f, events[:1])
	disktest.ReadOnly(t, disk)
	for name, err := range map[string]error{
		"append": f.Append(events, core.Decode), "artifact": f.Artifact("plan", 1, "plan.md", strings.NewReader("x")),
		"side effect": f.SideEffects(SideEffect{Attempt: "a", N: 1}), "state": f.WriteState(&core.Run{}),
	} {
		if core.CodeOf(err) != core.CodeUnavailable || wording.Hint(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := openAt(t, f.path).Head(); got.Seq != 1 {
		t.Errorf("reading still works: %+v", got)
	}
}
