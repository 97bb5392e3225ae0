package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object/s3/s3test"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
)

// TestNoAgentOpensTheStore: of what leads an engine to its store and its bucket nothing is in the environment of an agent, and a
// playbook that asks for it does not get it.
func TestNoAgentOpensTheStore(t *testing.T) {
	endpoint, bucket := s3test.Bucket(t)
	address := pgtest.Database(t)
	const mark = "for-the-engine-alone"
	for variable, value := range map[string]string{
		"AWS_ENDPOINT_URL_S3": endpoint, "AWS_REGION": s3test.Region, "AWS_ACCESS_KEY_ID": s3test.Key, "AWS_SECRET_ACCESS_KEY": s3test.Secret,
		config.StoreVariable: address, config.ObjectsVariable: "s3://" + bucket + "/objects",
		"PGPASSWORD": mark, "PGPASSFILE": mark, "PGSERVICEFILE": mark, "PGSSLPASSWORD": mark, "AWS_SHARED_CREDENTIALS_FILE": mark, "AWS_PROFILE": mark,
		"AWS_WEB_IDENTITY_TOKEN_FILE": mark, "AWS_CONTAINER_AUTHORIZATION_TOKEN": mark,
	} {
		t.Setenv(variable, value)
	}
	q := newSquad(t)
	a, err := app.Open(q.ctx, app.Options{State: stateFolder(t), Version: "test", Log: t.Output(), Database: address, Objects: "s3://" + bucket + "/objects"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	start := func(secrets string) (api.Run, error) {
		return a.Service.StartRun(q.ctx, api.StartRun{Goal: "Look", Playbook: "nosy", Trust: true, Yes: true, Isolation: "none", Dir: repository(t, map[string]string{
			"agent.sh": "env > " + q.shared + "/env; echo x > look.txt", ".stellwerk/playbooks/nosy.yaml": `
name: nosy
kind: phases
agents: {c: {use: command, run: ["sh", "agent.sh"], secrets: [` + secrets + `]}}
roles: {dev: {agent: c, prompt: work}}
phases:
  - {id: build, role: dev, done: [{changed: "*.txt"}]}
`})})
	}
	t.Setenv("GREETING", "hello")
	run, err := start("GREETING")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := completes(q.ctx, a.Service, run); err != nil {
		t.Fatal(err)
	}
	environment, err := os.ReadFile(filepath.Join(q.shared, "env"))
	if err != nil || !strings.Contains(string(environment), "GREETING=hello\n") {
		t.Fatalf("the test proves nothing: %v, %s", err, environment)
	}
	for line := range strings.Lines(string(environment)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if strings.HasPrefix(name, "PG") || strings.HasPrefix(name, "AWS_") || name == config.StoreVariable || name == config.ObjectsVariable ||
			strings.Contains(value, mark) || strings.Contains(value, s3test.Secret) || strings.Contains(value, address) {
			t.Errorf("an agent has %s", line)
		}
	}
	if err := os.Remove(filepath.Join(q.shared, "env")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"PGPASSWORD", "PGSSLPASSWORD", "AWS_ACCESS_KEY_ID", "AWS_CONTAINER_AUTHORIZATION_TOKEN"} {
		run, err := start(name)
		if err != nil {
			t.Fatal(err)
		}
		var d api.RunDetail
		q.until("the run cannot go on", func() bool {
			d, err = a.Service.Run(q.ctx, run.ID)
			return err != nil || d.Stranded != "" || d.Status != core.StatusActive
		})
		if err != nil || !strings.Contains(d.Stranded+d.Reason, name) {
			t.Errorf("a playbook asks for %s, and the run is %s: %s%s, %v", name, d.Status, d.Stranded, d.Reason, err)
		}
		if d.Status == core.StatusCompleted {
			continue
		}
		if _, err := a.Service.Cancel(q.ctx, run.ID, api.Cancel{}); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(q.shared, "env")); err == nil {
		t.Error("an agent that asks for them has begun")
	}
}
