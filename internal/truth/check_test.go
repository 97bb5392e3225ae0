package truth_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store/storetest"
	"github.com/stellwerk-dev/stellwerk/internal/truth"
)

// tamper changes a database behind the store's back.
func (p *place) tamper(statement string) {
	p.t.Helper()
	if strings.HasPrefix(p.path, "postgres:") {
		conn, err := pgx.Connect(p.t.Context(), p.path)
		must(p.t, err)
		done, err := conn.Exec(p.t.Context(), statement)
		must(p.t, err)
		must(p.t, conn.Close(p.t.Context()))
		if done.RowsAffected() == 0 {
			p.t.Fatalf("nothing was changed: %s", statement)
		}
		return
	}
	db, err := sql.Open("sqlite", filepath.Join(p.path, "stellwerk.db"))
	must(p.t, err)
	done, err := db.ExecContext(p.t.Context(), statement)
	must(p.t, err)
	n, err := done.RowsAffected()
	must(p.t, err)
	must(p.t, db.Close())
	if n == 0 {
		p.t.Fatalf("nothing was changed: %s", statement)
	}
}

// TestTampering: whatever is changed behind the store's back is found, with the stream it is in, and what to do. A store whose
// events are not what was committed is not moved.
func TestTampering(t *testing.T) {
	for statement, want := range map[string]struct {
		kind truth.FaultKind
		of   string
	}{
		`UPDATE events SET body = CAST('{"timer":"x"}' AS BLOB) WHERE stream = 'run/r1' AND seq = 1`:   {truth.FaultChain, "run/r1"},
		`UPDATE events SET body = CAST('{"timer":"x"}' AS BLOB) WHERE stream = 'run/r1' AND seq = 3`:   {truth.FaultChain, "run/r1"}, // the last
		`UPDATE events SET actor = '{"kind":"person","id":"eve"}' WHERE stream = 'run/r2' AND seq = 2`: {truth.FaultChain, "run/r2"},
		`UPDATE events SET at = at + 1000000 WHERE stream = 'run/r1' AND seq = 2`:                      {truth.FaultChain, "run/r1"},
		`UPDATE events SET type = 'RunSwept' WHERE stream = 'project/p0'`:                              {truth.FaultChain, "project/p0"},
		`DELETE FROM events WHERE stream = 'run/r1' AND seq = 2`:                                       {truth.FaultChain, "run/r1"},
		`DELETE FROM events WHERE stream = 'run/r1' AND seq = 1`:                                       {truth.FaultChain, "run/r1"},
		`DELETE FROM events WHERE stream = 'run/r1' AND seq = 3`:                                       {truth.FaultRow, "run/r1"}, // the newest is gone, and the row knows it
		`DELETE FROM events WHERE stream = 'run/r1'`:                                                   {truth.FaultRow, "run/r1"},
		`UPDATE events SET body = CAST('torn' AS BLOB) WHERE stream = 'run/r1' AND seq = 3`:            {truth.FaultFormat, "run/r1"},
		`UPDATE events SET v = 99 WHERE stream = 'run/r1' AND seq = 3`:                                 {truth.FaultFormat, "run/r1"},
		`DELETE FROM runs WHERE id = 'r3'`:                                                             {truth.FaultRow, "run/r3"},
		`UPDATE runs SET updated_at = updated_at - 1 WHERE id = 'r3'`:                                  {truth.FaultRow, "run/r3"},
		`DELETE FROM wakes WHERE stream = 'run/r4'`:                                                    {truth.FaultRow, "run/r4"},
		`UPDATE snapshots SET hash = 'x' WHERE stream = 'run/r4'`:                                      {truth.FaultRow, "run/r4"},
		`DELETE FROM slot_pools WHERE holder = 'r1'`:                                                   {truth.FaultRow, "slots of r1"},
		`UPDATE slot_pools SET held = 0 WHERE holder = 'r1'`:                                           {truth.FaultRow, "slots of r1"},
		`UPDATE document_versions SET last = 1`:                                                        {truth.FaultRow, "documents"},
		`DELETE FROM projects WHERE id = 'p2'`:                                                         {truth.FaultRow, "project/p2"},
	} {
		t.Run(statement, func(t *testing.T) {
			p, to := inFolder(t), inFolder(t)
			p.fill()
			p.register("p2")
			p.tamper(statement)
			var told []truth.Fault
			report, err := truth.Check(t.Context(), p.Pair, truth.Options{Fault: func(f truth.Fault) { told = append(told, f) }})
			must(t, err)
			found := slices.ContainsFunc(report.Faults, func(f truth.Fault) bool {
				return f.Kind == want.kind && f.Of == want.of && f.Problem != "" && f.Advice != ""
			})
			if !found || !slices.Equal(told, report.Faults) {
				t.Errorf("found are %+v", report.Faults)
			}
			_, err = truth.Move(t.Context(), p.Pair, to.Pair, truth.Options{})
			broken := slices.ContainsFunc(report.Faults, func(f truth.Fault) bool { return f.Kind == truth.FaultChain })
			if broken != (core.CodeOf(err) == core.CodeConflict) || !broken && err != nil {
				t.Errorf("moved: %v", err)
			}
		})
	}
}

// TestTamperingOnTheServer: what PostgreSQL keeps in another way is looked at, too.
func TestTamperingOnTheServer(t *testing.T) {
	for statement, of := range map[string]string{
		`UPDATE events SET body = '{"timer":"x"}' WHERE stream = 'run/r1' AND seq = 3`: "run/r1",
		`UPDATE heads SET seq = 2 WHERE stream = 'run/r2'`:                             "run/r2",
		`DELETE FROM heads WHERE stream = 'run/r3'`:                                    "run/r3",
		`UPDATE heads SET hash = 'x' WHERE stream = 'run/r4'`:                          "run/r4",
		`DELETE FROM events WHERE stream = 'run/r5' AND seq = 3`:                       "run/r5",
	} {
		p := onServer(t)
		storetest.Fill(t, p.Store)
		p.tamper(statement)
		report, err := truth.Check(t.Context(), p.Pair, truth.Options{})
		must(t, err)
		if !slices.ContainsFunc(report.Faults, func(f truth.Fault) bool { return f.Kind == truth.FaultChain && f.Of == of }) {
			t.Errorf("%s: found are %+v", statement, report.Faults)
		}
	}
}

// TestObjects: what is missing or damaged is found, with what names it, and keeps a store from being moved unless somebody says
// that it may.
func TestObjects(t *testing.T) {
	from, to := inFolder(t), onServer(t)
	n := from.fill()
	file := func(digest string) string { return filepath.Join(from.path, "blobs", digest[:2], digest[2:]) }
	must(t, os.Remove(file(n.pack)))
	must(t, os.WriteFile(file(n.parcel), []byte("lecrap"), 0o600))
	must(t, os.WriteFile(file(n.unnamed), []byte("?"), 0o600))
	report, err := truth.Check(t.Context(), from.Pair, truth.Options{})
	must(t, err)
	for digest, who := range map[string]string{n.pack: "event 2 of run/objects", n.parcel: "attempt-offer objects/a"} {
		if !slices.ContainsFunc(report.Faults, func(f truth.Fault) bool {
			return f.Kind == truth.FaultObject && strings.Contains(f.Of, digest) && strings.Contains(f.Problem, who) && f.Advice != ""
		}) {
			t.Errorf("%s is not among %+v", who, report.Faults)
		}
	}
	if len(report.Faults) != 2 {
		t.Errorf("faults are %+v", report.Faults)
	}
	if _, err := truth.Move(t.Context(), from.Pair, to.Pair, truth.Options{}); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("got %v", err)
	}
	must(t, from.works())
	if moved, err := truth.Move(t.Context(), from.Pair, to.Pair, truth.Options{Incomplete: true}); err != nil || moved.Copied != 0 || len(moved.Faults) != 3 {
		t.Errorf("moved: %+v, %v", moved, err)
	}
	for _, digest := range []string{n.pack, n.parcel, n.unnamed} {
		if _, err := to.Objects.Size(t.Context(), digest); core.CodeOf(err) != core.CodeNotFound {
			t.Errorf("%s came from nowhere: %v", digest, err)
		}
	}
	must(t, to.Objects.Verify(t.Context(), n.transcript))
}

// TestADamagedCopyOfAnObjectIsReplaced: when a move begins again, what is there already is read before it is believed.
func TestADamagedCopyOfAnObjectIsReplaced(t *testing.T) {
	from, to := inFolder(t), inFolder(t)
	n := from.fill()
	_, err := truth.Move(t.Context(), from.Pair, broken{to, "import"}.pair(), truth.Options{})
	wantBroken(t, err)
	must(t, os.WriteFile(filepath.Join(to.path, "blobs", n.prompt[:2], n.prompt[2:]), []byte("tpmorp"), 0o600))
	if report := from.moves(to); report.Copied != 1 {
		t.Errorf("%d objects were copied", report.Copied)
	}
	to.sound(6)
}
