package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

func TestGitIsNewEnough(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	for version, want := range map[string]string{
		"git version 2.35.9": api.GradeFail, "git version 2.36.0": api.GradeOK, "git version 3.0": api.GradeOK,
		"git version 1.99": api.GradeFail, "something else": api.GradeWarn,
	} {
		if err := os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\necho '"+version+"'\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		if f := Git(t.Context()); f.Grade != want || f.Found != version || (f.Advice == "") != (want == api.GradeOK) {
			t.Errorf("%s: %+v", version, f)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if f := Git(t.Context()); f.Grade != api.GradeFail || f.Advice == "" {
		t.Errorf("without git: %+v", f)
	}
}

func TestWhatCannotBeLookedAt(t *testing.T) {
	if f := Space(filepath.Join(t.TempDir(), "none")); f.Grade != api.GradeWarn {
		t.Errorf("%+v", f)
	}
	if f := Resources("", "", errors.New("no\ncgroups")); f.Grade != api.GradeWarn || f.Found != "Stellwerk cannot limit what attempts use: no cgroups" {
		t.Errorf("%+v", f)
	}
}
