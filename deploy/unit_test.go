// Package deploy holds what a machine needs to run Stellwerk as a service. There
// is no code in it but the test of these files.
package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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

func TestSystemdUnderstandsTheUnit(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not on this machine, so that the unit is not verified: ", err)
	}
	program := filepath.Join(t.TempDir(), "stellwerk")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "stellwerk.service")
	text := strings.Replace(unit(t), "ExecStart=stellwerk", "ExecStart="+program, 1)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", "--recursive-errors=no", file).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}
