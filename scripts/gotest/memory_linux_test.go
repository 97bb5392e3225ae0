package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// mountable skips a test where nobody may mount anything: who is not root, and root in most containers.
func mountable(t *testing.T) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "true")
	if err := startInMemory(cmd, filepath.Join(t.TempDir(), "m")); errors.Is(err, unix.EPERM) {
		t.Skip("memory cannot be mounted here:", err)
	} else if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

// TestMemoryIsSeenByOneProgramOnly: it and what it starts have a folder in memory that any user may write to; others have the disk.
func TestMemoryIsSeenByOneProgramOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "m")
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `stat -f -c %T "$0" && stat -c %a "$0" && echo kept > "$0/file" && cat "$0/file"`, dir)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	mountable(t)
	if err := startInMemory(cmd, dir); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || out.String() != "tmpfs\n1777\nkept\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("others see %v, %v", left, err)
	}
}

// TestALinkIsNotMountedOver: whoever may write to /tmp must not choose what is covered.
func TestALinkIsNotMountedOver(t *testing.T) {
	link := filepath.Join(t.TempDir(), "m")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	if err := startInMemory(exec.CommandContext(t.Context(), "true"), link); !errors.Is(err, errNoMemory) {
		t.Errorf("it was used: %v", err)
	}
}

func TestAPersonsOwnFolderIsKept(t *testing.T) {
	for _, name := range []string{"TMPDIR", "GOTMPDIR"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TMPDIR", "")
			t.Setenv("GOTMPDIR", "")
			t.Setenv(name, "/elsewhere")
			if args := inMemory("/tmp/m"); args != nil {
				t.Errorf("%q", args)
			}
		})
	}
}

func TestHowMuchIsAvailable(t *testing.T) {
	if got := available("MemTotal:       24608492 kB\nMemFree:         1 kB\nMemAvailable:   20000000 kB\nBuffers: 5 kB\n"); got != 20000000<<10 {
		t.Error(got)
	}
	if got := available("MemFree: 5 kB\n"); got != 0 {
		t.Error(got)
	}
}

// TestWhatTestsSee: `go test` gets the folder for its tests alone, so that what it builds stays on the disk.
func TestWhatTestsSee(t *testing.T) {
	table, err := os.ReadFile("/proc/meminfo")
	if err != nil || available(string(table)) < room {
		t.Skip("too little memory is free")
	}
	mountable(t)
	t.Setenv("TMPDIR", "")
	t.Setenv("GOTMPDIR", "")
	dir := filepath.Join(t.TempDir(), "m")
	program := filepath.Join(t.TempDir(), "go")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"$*|$TMPDIR$GOTMPDIR\"\nstat -f -c %T "+dir), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd, out, err := begin(t.Context(), dir, []string{program, "test", "-json", "./..."})
	if err != nil {
		t.Fatal(err)
	}
	read, err := io.ReadAll(out)
	if err := errors.Join(err, cmd.Wait()); err != nil {
		t.Fatal(err)
	}
	if got, want := string(read), "test -exec env TMPDIR="+dir+" GOTMPDIR="+dir+" -json ./...|\ntmpfs\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
