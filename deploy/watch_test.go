package deploy

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
	"github.com/stellwerk-dev/stellwerk/internal/worker"
)

func TestMain(m *testing.M) {
	worker.Intercept()
	code := m.Run()
	pgtest.Stop()
	os.Exit(code)
}

const (
	rulesFile     = "prometheus/stellwerk.yaml"
	dashboardFile = "grafana/stellwerk.json"
)

// rules are a file of Prometheus.
type rules struct {
	Groups []struct {
		Name  string `yaml:"name"`
		Rules []rule `yaml:"rules"`
	} `yaml:"groups"`
}

type rule struct {
	Alert       string            `yaml:"alert,omitempty"`
	Record      string            `yaml:"record,omitempty"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for,omitempty"`
	Labels      map[string]string `yaml:"labels,omitempty"`
	Annotations map[string]string `yaml:"annotations,omitempty"`
}

func alerts(t *testing.T) (all []rule) {
	t.Helper()
	text, err := os.ReadFile(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	var r rules
	strict := yaml.NewDecoder(bytes.NewReader(text))
	strict.KnownFields(true)
	if err := strict.Decode(&r); err != nil {
		t.Fatal(err)
	}
	for _, g := range r.Groups {
		all = append(all, g.Rules...)
	}
	return all
}

// panel is what of a dashboard's panel matters here.
type panel struct {
	ID         int
	Type       string
	Title      string
	GridPos    struct{ X, Y, W, H int }
	Datasource struct{ UID string }
	Targets    []struct{ Expr, RefID string }
}

func panels(t *testing.T) []panel {
	t.Helper()
	text, err := os.ReadFile(dashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		UID, Title    string
		SchemaVersion int
		Panels        []panel
		Templating    struct{ List []struct{ Name string } }
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	if d.UID == "" || d.Title == "" || d.SchemaVersion == 0 || len(d.Panels) == 0 || len(d.Templating.List) != 2 {
		t.Errorf("Grafana would not import %+v", d)
	}
	return d.Panels
}

// expressions are all that ask Prometheus, by where they stand.
func expressions(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, r := range alerts(t) {
		all[r.Alert] = r.Expr
	}
	for _, p := range panels(t) {
		for _, target := range p.Targets {
			all[p.Title+" "+target.RefID] = target.Expr
		}
	}
	return all
}

// TestEachAlertSaysWhatToDo, once.
func TestEachAlertSaysWhatToDo(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range alerts(t) {
		_, err := time.ParseDuration(r.For)
		switch {
		case seen[r.Alert] || !strings.HasPrefix(r.Alert, "Stellwerk"):
			t.Errorf("%q is no name of its own", r.Alert)
		case r.For != "" && err != nil:
			t.Errorf("%s lasts %q", r.Alert, r.For)
		case !slices.Contains([]string{"critical", "warning", "info"}, r.Labels["severity"]):
			t.Errorf("%s has the severity %q", r.Alert, r.Labels["severity"])
		case r.Annotations["summary"] == "" || r.Annotations["description"] == "":
			t.Errorf("%s does not say what is wrong and what to do", r.Alert)
		}
		seen[r.Alert] = true
	}
	if len(seen) == 0 {
		t.Error("there are no alerts")
	}
}

func TestNoPanelCoversAnother(t *testing.T) {
	all := panels(t)
	for i, p := range all {
		if p.GridPos.W < 1 || p.GridPos.H < 1 || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("%s is at %+v", p.Title, p.GridPos)
		}
		if p.Type != "row" && (len(p.Targets) == 0 || p.Datasource.UID != "${datasource}") {
			t.Errorf("%s shows nothing", p.Title)
		}
		for _, q := range all[:i] {
			apart := p.GridPos.X >= q.GridPos.X+q.GridPos.W || q.GridPos.X >= p.GridPos.X+p.GridPos.W ||
				p.GridPos.Y >= q.GridPos.Y+q.GridPos.H || q.GridPos.Y >= p.GridPos.Y+p.GridPos.H
			if !apart || p.ID == q.ID {
				t.Errorf("%s and %s are in the same place", p.Title, q.Title)
			}
		}
	}
}

// TestPrometheusUnderstands the rules, what they say in a bad hour, and what the dashboard asks.
func TestPrometheusUnderstands(t *testing.T) {
	promtool := tooltest.Need(t, tooltest.Promtool)
	run := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), promtool, args...)
		cmd.Dir = "prometheus"
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
	run("check", "rules", "--lint-fatal", "stellwerk.yaml")
	run("test", "rules", "stellwerk_test.yaml")

	asked := rules{}
	asked.Groups = append(asked.Groups, struct {
		Name  string `yaml:"name"`
		Rules []rule `yaml:"rules"`
	}{Name: "dashboard"})
	for _, p := range panels(t) {
		for _, target := range p.Targets {
			expr := strings.NewReplacer("$__rate_interval", "1m", "$job", "stellwerk").Replace(target.Expr)
			asked.Groups[0].Rules = append(asked.Groups[0].Rules, rule{Record: "x", Expr: expr, Labels: map[string]string{"at": p.Title + target.RefID}})
		}
	}
	text, err := yaml.Marshal(asked)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "dashboard.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	run("check", "rules", "--lint-fatal", file)
}

// shown is each metric that an engine shows, with its type.
func shown(t *testing.T) map[string]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	state := filepath.Join(t.TempDir(), "state")
	_, stop, err := app.Connect(ctx, app.Options{State: state, Version: "test", Metrics: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}()
	address, err := os.ReadFile(filepath.Join(state, "metrics.addr"))
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+strings.TrimSpace(string(address))+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	metrics := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (\S+) (\S+)$`).FindAllStringSubmatch(string(text), -1) {
		metrics[m[1]] = m[2]
	}
	return metrics
}

// documented is each metric of docs/metrics.md, with its labels.
func documented(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile("`([a-z_]+)`")
	metrics := map[string][]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]*(?:stellwerk|gen_ai)_[^|]*) \|([^|]*)\|`).FindAllStringSubmatch(string(text), -1) {
		var labels []string
		for _, l := range name.FindAllStringSubmatch(row[2], -1) {
			labels = append(labels, l[1])
		}
		for _, m := range name.FindAllStringSubmatch(row[1], -1) {
			metrics[m[1]] = labels
		}
	}
	return metrics
}

// TestWhatIsAskedForIsShown: alerts and dashboard ask for metrics and labels that there are, and the page names all of them.
func TestWhatIsAskedForIsShown(t *testing.T) {
	metrics, pages := shown(t), documented(t)
	for name := range metrics {
		if _, told := pages[name]; !told {
			t.Errorf("docs/metrics.md does not name %s", name)
		}
	}
	for name := range pages {
		if metrics[name] == "" {
			t.Errorf("docs/metrics.md names %s, which no engine shows", name)
		}
	}
	series := regexp.MustCompile(`\b((?:stellwerk|gen_ai)_[a-z_]+)(?:\{([^}]*)\})?`)
	by := regexp.MustCompile(`\bby \(([^)]*)\)`)
	matched := regexp.MustCompile(`([a-z_]+)(?:=~|!~|!=|=)"`)
	for where, expr := range expressions(t) {
		var known, used []string
		for _, g := range by.FindAllStringSubmatch(expr, -1) {
			for label := range strings.SplitSeq(g[1], ",") {
				used = append(used, strings.TrimSpace(label))
			}
		}
		for _, s := range series.FindAllStringSubmatch(by.ReplaceAllString(expr, ""), -1) {
			name := s[1]
			for _, part := range []string{"_bucket", "_sum", "_count"} {
				if base := strings.TrimSuffix(name, part); metrics[base] == "histogram" {
					name = base
				}
			}
			if metrics[name] == "" {
				t.Errorf("%s asks for %s, which no engine shows", where, s[1])
			}
			known = append(known, pages[name]...)
			for _, m := range matched.FindAllStringSubmatch(s[2], -1) {
				used = append(used, m[1])
			}
		}
		if !series.MatchString(expr) && !strings.Contains(expr, "up{") {
			t.Errorf("%s asks for nothing: %s", where, expr)
		}
		for _, label := range used {
			if !slices.Contains(append(known, "job", "instance", "le"), label) {
				t.Errorf("%s asks for the label %s, which no metric of %s has", where, label, expr)
			}
		}
	}
}
