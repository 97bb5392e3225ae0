// Package deploy holds what a machine needs to run Stellwerk as a service. There
// is no code in it but the test of these files.
package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/cli"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
)

func unit(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("stellwerk.service")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestStoppingTheServiceLeavesAttemptsAndIsolationAlone(t *testing.T) {
	settings := map[string]string{}
	for line := range strings.SplitSeq(unit(t), "\n") {
		if key, value, ok := strings.Cut(line, "="); ok && !strings.HasPrefix(line, "#") {
			settings[key] = value
		}
	}
	if settings["Restart"] != "on-failure" {
		t.Errorf("Restart=%s: an engine that was stopped comes back, or one that was killed does not", settings["Restart"])
	}
	if settings["KillMode"] != "process" || settings["SendSIGKILL"] != "no" {
		t.Errorf("KillMode=%s, SendSIGKILL=%s: attempts would end with the engine", settings["KillMode"], settings["SendSIGKILL"])
	}
	for _, breaks := range []string{
		"ProtectKernelTunables", "ProtectKernelLogs", "ProtectProc", "ProcSubset", "PrivateUsers", "PrivateTmp",
		"RestrictNamespaces", "MemoryDenyWriteExecute", "RestrictSUIDSGID",
	} {
		if value, set := settings[breaks]; set {
			t.Errorf("%s=%s breaks the isolation of agents, or the agents", breaks, value)
		}
	}
}

// TestSystemdUnderstandsTheUnit, alone and as a team's.
func TestSystemdUnderstandsTheUnit(t *testing.T) {
	analyze := tooltest.Need(t, tooltest.Systemd)
	program := filepath.Join(t.TempDir(), "stellwerk")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, team := range []bool{false, true} {
		dir := t.TempDir()
		file := filepath.Join(dir, "stellwerk.service")
		install := func(from, to string) {
			t.Helper()
			text, err := os.ReadFile(from)
			if err == nil {
				err = os.MkdirAll(filepath.Dir(to), 0o700)
			}
			if err == nil {
				err = os.WriteFile(to, []byte(strings.ReplaceAll(string(text), "=stellwerk ", "="+program+" ")), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		install("stellwerk.service", file)
		if team {
			install("team.conf", filepath.Join(dir, "stellwerk.service.d", "team.conf"))
		}
		out, err := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", "--recursive-errors=no", file).CombinedOutput()
		if err != nil || len(out) > 0 {
			t.Errorf("systemd-analyze verify, of a team %t: %v\n%s", team, err, out)
		}
	}
}

// TestATeamsUnit changes what is started, and nothing that leaves attempts and isolation alone.
func TestATeamsUnit(t *testing.T) {
	text, err := os.ReadFile("team.conf")
	if err != nil {
		t.Fatal(err)
	}
	var start, stop []string
	within := map[string]time.Duration{}
	for line := range strings.SplitSeq(string(text), "\n") {
		key, value, set := strings.Cut(line, "=")
		switch {
		case !set || strings.HasPrefix(line, "#"):
		case key == "ExecStart":
			start = append(start, value)
		case key == "ExecStop":
			stop = append(stop, value)
		case key == "TimeoutStopSec":
			if within[key], err = time.ParseDuration(value); err != nil {
				t.Error(err)
			}
		case key != "EnvironmentFile" && key != "RestartSec" && key != "StartLimitIntervalSec":
			t.Errorf("it also sets %s", line)
		}
	}
	if len(start) != 2 || start[0] != "" {
		t.Fatalf("it starts %q", start)
	}
	if len(stop) != 1 {
		t.Fatalf("it stops %q", stop)
	}
	for _, line := range []string{start[1], stop[0]} {
		words := strings.Fields(line)
		command, _, err := cli.Commands().Find(words[1:2])
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range words {
			if name, flag := strings.CutPrefix(word, "--"); flag && command.Flags().Lookup(name) == nil {
				t.Errorf("%s has no flag %s", command.Name(), word)
			}
		}
	}
	_, bound, _ := strings.Cut(stop[0], "--within ")
	if drained, err := time.ParseDuration(bound); err != nil || drained >= within["TimeoutStopSec"] {
		t.Errorf("draining may take %s (%v), and systemd gives up after %s", drained, err, within["TimeoutStopSec"])
	}
}
