package app_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object/s3/s3test"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
)

// TestABadDayOfTheBucket: an attempt hands in while the bucket is slow, or takes connections and says nothing. The engine says so and
// answers people, the run goes on as soon as the bucket does, and nothing is lost or done twice.
func TestABadDayOfTheBucket(t *testing.T) {
	for name, c := range map[string]struct {
		grade, found string
		waits        bool // until the bucket is better
		worse        func(t *testing.T, network *pgtest.Network, endpoint string)
		better       func(t *testing.T, network *pgtest.Network, endpoint string)
	}{
		"slow": {
			api.GradeWarn, "a few bytes took", false,
			func(t *testing.T, network *pgtest.Network, endpoint string) {
				slow, through := pgtest.Through(t, endpoint)
				slow.Slow(t, "1200", "1000")
				network.Lead(t, through)
			},
			func(t *testing.T, network *pgtest.Network, endpoint string) { network.Lead(t, endpoint) },
		},
		"half-open": {
			api.GradeFail, "do not answer", true,
			func(_ *testing.T, network *pgtest.Network, _ string) { network.Lose() },
			func(t *testing.T, network *pgtest.Network, _ string) {
				network.Cut() // the other end notices; what does not is for the suite of the bucket
				network.Find()
				network.Mend(t)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			endpoint, bucket := s3test.Bucket(t)
			network, through := pgtest.Through(t, endpoint)
			for variable, value := range map[string]string{
				"AWS_ENDPOINT_URL_S3": through, "AWS_REGION": s3test.Region, "AWS_ACCESS_KEY_ID": s3test.Key, "AWS_SECRET_ACCESS_KEY": s3test.Secret,
			} {
				t.Setenv(variable, value)
			}
			q := newSquad(t)
			state := stateFolder(t)
			a, err := app.Open(q.ctx, app.Options{State: state, Version: "test", Log: t.Output(), Database: pgtest.Database(t), Objects: "s3://" + bucket + "/objects"})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := a.Close(); err != nil {
					t.Error(err)
				}
			}()
			objects := func() (found api.Examined) {
				t.Helper()
				all, err := a.Service.Examine(q.ctx)
				if err != nil {
					t.Fatal(err)
				}
				if i := slices.IndexFunc(all, func(e api.Examined) bool { return e.What == "Objects" }); i >= 0 {
					found = all[i]
				}
				return found
			}
			q.until("the bucket is well", func() bool { return objects().Grade == api.GradeOK })
			run, err := a.Service.StartRun(q.ctx, api.StartRun{Dir: q.repository(), Goal: "Sell tea", Playbook: "relay", Trust: true, Yes: true, Isolation: "none"})
			if err != nil {
				t.Fatal(err)
			}
			q.until("the agent begins", func() bool { return q.begun()[0] != "" })
			c.worse(t, network, endpoint)
			q.let("go-build")
			q.until("the engine says so", func() bool {
				found := objects()
				return found.Grade == c.grade && strings.Contains(found.Found, c.found) && found.Advice != ""
			})
			if all, err := a.Service.Runs(q.ctx, api.RunQuery{}); err != nil || len(all) != 1 {
				t.Errorf("meanwhile it shows %+v, %v", all, err)
			}
			if c.waits {
				if begun := q.begun(); len(begun) != 1 {
					t.Errorf("agents began as %v although nothing could be handed in", begun)
				}
				c.better(t, network, endpoint)
			}
			q.until("the next agent begins", func() bool { return len(q.begun()) > 1 })
			if !c.waits {
				c.better(t, network, endpoint)
			}
			q.let("go-polish")
			ends, _, _, err := completes(q.ctx, a.Service, run)
			if err != nil || !slices.Equal(ends, []core.ExitKind{core.ExitFinished, core.ExitFinished}) {
				t.Errorf("attempts ended as %v, %v", ends, err)
			}
			if begun := q.begun(); len(begun) != 2 {
				t.Errorf("agents began as %v", begun)
			}
			q.until("the bucket is well again", func() bool { return objects().Grade == api.GradeOK })
		})
	}
}
