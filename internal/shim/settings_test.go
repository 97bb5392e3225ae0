package shim

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

// What a playbook sets wins over the settings of package managers, in whatever letters.
func TestVariablesOfPackageManagers(t *testing.T) {
	spec := fullSpec(t)
	spec.Settings.Variables = map[string]string{"GOPROXY": "person", "npm_config_registry": "person", "PIP_INDEX_URL": "person"}
	spec.Env = map[string]string{"NPM_CONFIG_REGISTRY": "playbook"}
	got := agentVariables(spec, agent.Launch{}, variables{"PIP_INDEX_URL": "secret"}, nil)
	want := map[string]string{"GOPROXY": "person", "NPM_CONFIG_REGISTRY": "playbook", "npm_config_registry": "", "PIP_INDEX_URL": "secret"}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %q, want %q", name, got[name], value)
		}
	}
}

// cargoSpec is a spec with a file for cargo, whose folders are there.
func cargoSpec(t *testing.T) Spec {
	t.Helper()
	spec := Spec{Attempt: "a1", Writable: []string{t.TempDir()}, Settings: Settings{Files: map[string]string{".npmrc": "npm\n", ".cargo/config.toml": "cargo\n"}}}
	spec.Job.Home = t.TempDir()
	return spec
}

// filesIn compares all files of a folder.
func filesIn(t *testing.T, folder string, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		got[name] = string(text)
	}
	if !maps.Equal(got, want) {
		t.Errorf("in %s is %q, want %q", folder, got, want)
	}
	var all int
	err := filepath.WalkDir(folder, func(_ string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all++
		}
		return err
	})
	if err != nil || all != len(want) {
		t.Errorf("%d files are in %s, want %d: %v", all, folder, len(want), err)
	}
}

func TestFilesOfPackageManagers(t *testing.T) {
	spec := cargoSpec(t)
	for range 2 {
		if err := writeSettings(spec, nil); err != nil {
			t.Fatal(err)
		}
	}
	filesIn(t, spec.Job.Home, map[string]string{".npmrc": "npm\n", ".cargo/config.toml": "cargo\n"})

	// What is there stays.
	spec = cargoSpec(t)
	put(t, spec.Job.Home, ".npmrc", "own")
	if err := writeSettings(spec, nil); err != nil {
		t.Fatal(err)
	}
	filesIn(t, spec.Job.Home, map[string]string{".npmrc": "own", ".cargo/config.toml": "cargo\n"})
}

// Cargo's home may be elsewhere: in a folder that checks share, or where a playbook says.
func TestCargoElsewhere(t *testing.T) {
	spec := cargoSpec(t)
	if err := writeSettings(spec, []string{"CARGO_HOME=" + filepath.Join(spec.Writable[0], "cargo")}); err != nil {
		t.Fatal(err)
	}
	filesIn(t, spec.Job.Home, map[string]string{".npmrc": "npm\n"})
	filesIn(t, spec.Writable[0], map[string]string{"cargo/config.toml": "cargo\n"})

	spec = cargoSpec(t)
	elsewhere := t.TempDir()
	if err := writeSettings(spec, []string{"CARGO_HOME=" + elsewhere}); err != nil {
		t.Fatal(err)
	}
	filesIn(t, elsewhere, nil)
	filesIn(t, spec.Job.Home, map[string]string{".npmrc": "npm\n"})
}

// A shared folder may have links that an earlier process left there. Nothing is written where they lead.
func TestPlantedLinks(t *testing.T) {
	outside := t.TempDir()
	put(t, outside, "kept", "kept")
	for name, c := range map[string]struct {
		plant func(cargo string) error
		fails bool // the folder itself leads elsewhere, so there is no place to write to
	}{
		"of the folder":         {func(cargo string) error { return os.Symlink(outside, cargo) }, true},
		"that leads above":      {func(cargo string) error { return os.Symlink("../"+filepath.Base(outside), cargo) }, true},
		"of the file":           {func(cargo string) error { return linked(cargo, "config.toml", filepath.Join(outside, "new")) }, false},
		"of the file, relative": {func(cargo string) error { return linked(cargo, "config.toml", "../../new") }, false},
		"of what becomes it":    {func(cargo string) error { return linked(cargo, "config.toml.a1", filepath.Join(outside, "kept")) }, false},
	} {
		spec := cargoSpec(t)
		cargo := filepath.Join(spec.Writable[0], "cargo")
		if err := c.plant(cargo); err != nil {
			t.Fatal(err)
		}
		if err := writeSettings(spec, []string{"CARGO_HOME=" + cargo}); (err != nil) != c.fails {
			t.Errorf("%s: %v", name, err)
		}
		filesIn(t, outside, map[string]string{"kept": "kept"})
	}
}

func linked(folder, name, target string) error {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	return os.Symlink(target, filepath.Join(folder, name))
}
