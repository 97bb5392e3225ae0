package deploy

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/stellwerk-dev/stellwerk/internal/cli"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
)

// TestTheComposeFile names services, volumes, files, flags and variables that there are. It was not run: that takes Docker.
func TestTheComposeFile(t *testing.T) {
	text, err := os.ReadFile("compose/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct { // what of the Compose Specification it uses
		Name     string
		Engine   yaml.Node `yaml:"x-engine"`
		Services map[string]struct {
			Build               struct{ Context, Dockerfile string }
			Image, Restart      string
			Command, Entrypoint []string
			Environment         map[string]string
			Volumes, Ports      []string
			DependsOn           yaml.Node `yaml:"depends_on"`
			SecurityOpt         []string  `yaml:"security_opt"`
			StopGracePeriod     string    `yaml:"stop_grace_period"`
			Sysctls             map[string]string
			Healthcheck         struct {
				Test              []string
				Interval, Timeout string
				Retries           int
			}
		}
		Volumes map[string]struct{}
	}
	strict := yaml.NewDecoder(bytes.NewReader(text))
	strict.KnownFields(true)
	if err := strict.Decode(&file); err != nil {
		t.Fatal(err)
	}
	serve, _, err := cli.Commands().Find([]string{"serve"})
	if err != nil {
		t.Fatal(err)
	}
	engines, inside := 0, []string{"./stellwerk.pem"}
	for name, s := range file.Services {
		for _, v := range s.Volumes {
			from, _, _ := strings.Cut(v, ":")
			_, known := file.Volumes[from]
			if _, err := os.Stat(filepath.Join("compose", from)); !known && err != nil && !slices.Contains(inside, from) {
				t.Errorf("%s mounts %s, which nobody makes", name, from)
			}
		}
		for _, on := range s.DependsOn.Content {
			if _, known := file.Services[on.Value]; on.Kind == yaml.ScalarNode && !known {
				t.Errorf("%s waits for %s", name, on.Value)
			}
		}
		if s.Build.Context == "" {
			continue
		}
		engines++
		if _, err := os.Stat(filepath.Join("compose", s.Build.Context, s.Build.Dockerfile)); err != nil {
			t.Error(err)
		}
		if err := serve.ParseFlags(s.Command[1:]); err != nil || s.Command[0] != "serve" {
			t.Errorf("%s: %v: %v", name, s.Command, err)
		}
		docs, err := os.ReadFile("../docs/state-folder.md")
		if err != nil {
			t.Fatal(err)
		}
		for variable := range s.Environment {
			if variable != "ANTHROPIC_API_KEY" && !strings.Contains(string(docs), "`"+variable+"`") {
				t.Errorf("%s is not documented", variable)
			}
		}
	}
	if engines != 2 {
		t.Errorf("there are %d engines", engines)
	}
	secret := regexp.MustCompile(`(?:PASSWORD|SECRET_ACCESS_KEY|SECRET_KEY): +"?[^$\s"{]+`)
	if found := secret.FindString(string(text)); found != "" {
		t.Errorf("it has a secret: %s", found)
	}
}

// TestTheComposeBalancer is one that HAProxy starts with.
func TestTheComposeBalancer(t *testing.T) {
	haproxy := tooltest.Need(t, tooltest.HAProxy)
	dir := t.TempDir()
	certificate(t, filepath.Join(dir, "stellwerk.pem"))
	text, err := os.ReadFile("compose/haproxy.cfg")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "haproxy.cfg")
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), "/etc/haproxy", dir, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), haproxy, "-c", "-f", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
