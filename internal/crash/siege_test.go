package crash

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object/s3/s3test"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// Settings of this test. teamKillsVariable is how many engines are killed; from undisturbed on, the first run of each kind
// is left in peace, for others to be compared with.
const (
	teamKillsVariable = "STELLWERK_TEAM_KILLS"
	defaultTeamKills  = 6
	undisturbed       = 50
)

// perDatabase is how many engines are killed for each time that the database is.
const perDatabase = 10

// TestServersAndEnginesKilled has three engines work at runs of all kinds at once, on a PostgreSQL server and a bucket. At
// random moments engines are killed or stopped past their lease, and the server is shut down at once. Meanwhile people speak
// to any engine. Nothing is lost, nothing is there twice, and every run comes to the end that all of its kind come to.
func TestServersAndEnginesKilled(t *testing.T) {
	kills, began := int(number(t, teamKillsVariable, defaultTeamKills)), time.Now()
	s := newSiege(t)
	if kills >= undisturbed {
		s.during(func() {})
	}
	s.during(func() {
		for s.kills < kills || s.shutdowns == 0 {
			s.strike()
		}
	})
	t.Logf("%d kills of engines, %d of the database, %d stops; %s in %s", s.kills, s.shutdowns, s.stops, s.verify(), time.Since(began).Round(time.Second))
}

// siege is a team whose engines and server are killed.
type siege struct {
	*team
	t      *testing.T
	server *pgtest.Server
	kinds  []*arena
	dice   *rand.Rand

	fresh  chan struct{} // one for each event that anybody is told of
	failed chan error    // of work that cannot go on

	kills, shutdowns, stops int
}

func newSiege(t *testing.T) *siege {
	t.Helper()
	s := &siege{t: t, server: pgtest.New(t), dice: chance(t), fresh: make(chan struct{}, 1<<12), failed: make(chan error, 1)}
	address, err := s.server.Create(t.Context(), "stellwerk")
	if err != nil {
		t.Fatal(err)
	}
	endpoint, bucket := s3test.Bucket(t)
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL_S3": endpoint, "AWS_REGION": s3test.Region, "AWS_ACCESS_KEY_ID": s3test.Key, "AWS_SECRET_ACCESS_KEY": s3test.Secret,
	} {
		t.Setenv(name, value)
	}
	var worlds []*world
	for _, tell := range []func(string) story{plainStory, projectStory, managerStory, buildStory} {
		worlds = append(worlds, newTeam(t, tell))
	}
	worlds[0].shared = place{Store: address, Objects: "s3://" + bucket + "/objects"}
	s.team = gather(t, worlds, 3)
	for _, w := range worlds {
		s.kinds = append(s.kinds, &arena{world: w, team: s.team})
	}
	return s
}

// during has runs of every kind under way, one after the other, while something is done; at least one of each kind.
func (s *siege) during(something func()) {
	s.t.Helper()
	var work errgroup.Group
	enough, done := make(chan struct{}), make(chan struct{})
	for _, a := range s.kinds {
		work.Go(func() error {
			for first := true; first || !isClosed(enough); first = false {
				if err := s.see(a); err != nil {
					select {
					case s.failed <- err:
					default:
					}
					return err
				}
			}
			return nil
		})
	}
	something()
	close(enough)
	go func() {
		defer close(done)
		_ = work.Wait() // the first failure is told
	}()
	s.next(done)
}

// see sees a run to its end. Somebody has it pause in the middle.
func (s *siege) see(a *arena) error {
	branch := fmt.Sprintf("feature/%s-%d", a.story.name, len(a.fought))
	run, err := a.start(branch)
	if err != nil {
		return fmt.Errorf("start %s: %w", branch, err)
	}
	a.fought = append(a.fought, branch)
	var others errgroup.Group
	lunch := 1 + rand.Int64N(40)
	err = a.see(run, branch, func(seq int64) {
		if seq == lunch {
			others.Go(func() error { return a.lunch(run) })
		}
		select {
		case s.fresh <- struct{}{}:
		default:
		}
	})
	if err == nil {
		err = others.Wait()
	}
	if err != nil {
		return fmt.Errorf("run %s: %w", branch, err)
	}
	return nil
}

// next waits for a signal while the work goes on.
func (s *siege) next(signal <-chan struct{}) {
	s.t.Helper()
	select {
	case <-signal:
	case err := <-s.failed:
		s.t.Fatalf("%v\n%s", err, s.home.account())
	case <-waittest.Over():
		s.t.Fatalf("nothing happens any more:\n%s", s.home.account())
	}
}

// moment comes a little after something happened, when the next steps are under way.
func (s *siege) moment() {
	s.t.Helper()
	for len(s.fresh) > 0 {
		<-s.fresh
	}
	for range 1 + s.dice.IntN(6) {
		s.next(s.fresh)
	}
	<-time.After(time.Duration(s.dice.Int64N(int64(100 * time.Millisecond))))
}

// strike lets one thing go wrong, at some moment.
func (s *siege) strike() {
	s.t.Helper()
	s.moment()
	victim := s.anybody()
	if s.kills >= perDatabase*(s.shutdowns+1)-perDatabase/2 {
		s.shutDown(victim)
		return
	}
	switch s.dice.IntN(10) {
	case 0: // it is stopped past its lease
		s.stops++
		s.stop(victim)
		s.home.await("the end of the lease of "+victim, func() bool { return s.lapsed(victim) })
		s.moment()
		s.resume(victim)
	case 1: // all of them at once
		hosts := s.hosts()
		for _, host := range hosts {
			s.kill(host)
		}
		for _, host := range hosts {
			s.begin(host)
		}
	case 2, 3, 4, 5: // others go on without it
		s.kill(victim)
		s.moment()
		s.begin(victim)
	default: // it comes back at once
		s.kill(victim)
		s.begin(victim)
	}
}

// shutDown ends the server as `pg_ctl stop -m immediate` does, alone or together with an engine, and begins it again.
func (s *siege) shutDown(victim string) {
	s.t.Helper()
	s.shutdowns++
	together, first := s.dice.IntN(2) == 0, s.dice.IntN(2) == 0
	if together && first {
		s.kill(victim)
	}
	s.server.Kill()
	if together && !first {
		s.kill(victim)
	}
	if err := s.server.Begin(); err != nil {
		s.t.Fatal(err)
	}
	if together {
		s.begin(victim)
	}
}

func (s *siege) kill(host string) {
	s.t.Helper()
	s.end(host, syscall.SIGKILL)
	s.kills++
}

func (s *siege) hosts() []string {
	var hosts []string
	for host := range s.members {
		hosts = append(hosts, host)
	}
	slices.Sort(hosts)
	return hosts
}

func (s *siege) anybody() string {
	hosts := s.hosts()
	return hosts[s.dice.IntN(len(hosts))]
}

// lapsed tells that a host's engine has no lease any more.
func (s *siege) lapsed(host string) bool {
	engines, err := s.db.Engines(s.t.Context())
	return err == nil && slices.ContainsFunc(engines, func(e store.Member) bool { return e.ID == s.members[host].id() && !e.Alive })
}

// verify holds what is left against what must be true, also for an engine on a host that has nothing but store and objects.
func (s *siege) verify() (all tally) {
	s.t.Helper()
	s.disband(s.kinds...)
	s.toldOnce(s.kills + s.shutdowns + s.stops)
	for _, a := range s.kinds {
		all.add(a.settled())
		a.move("host-new")
		for _, h := range a.histories(a.db, a.fought) {
			if err := a.db.Raise(s.t.Context(), core.RunStream(h.row.ID)); err != nil { // have somebody look at it
				s.t.Fatal(err)
			}
		}
		outcomes := a.outcomes(a.fought)
		for i, o := range outcomes[1:] {
			if diff := cmp.Diff(outcomes[0], o); diff != "" {
				s.t.Errorf("%s has another outcome than %s (-first +other)\n%s", a.fought[i+1], a.fought[0], diff)
			}
		}
	}
	db := s.home.truth()
	defer s.home.shut(db)
	s.home.nothingHeld(db)
	return all
}
