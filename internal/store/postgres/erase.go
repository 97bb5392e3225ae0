package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pg"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// eraseTime is for how long a statement of an erasure may keep everybody else from writing.
const eraseTime = 10 * time.Minute

// scrubTime is for how long the server may be busy with freeing the space.
const scrubTime = time.Hour

// What is removed of a project, by its id, the names of its streams with the numbers up to which they are erased, and the ids of its
// runs.
var eraseContent = []string{
	fmt.Sprintf(`UPDATE events e SET v = %d, actor = '{"kind":"' || (e.actor::json->>'kind') || '"}', body = convert_to('{"hash":"' || e.hash || '"}', 'UTF8')
		FROM unnest(@streams::text[], @upto::bigint[]) AS erased(stream, upto)
		WHERE e.stream = erased.stream AND e.seq <= erased.upto AND e.v <> %d AND e.type <> '%s'`, core.ErasedV, core.ErasedV, core.TypeProjectErased),
	"DELETE FROM snapshots WHERE stream = ANY (@streams::text[])",
	"UPDATE wakes SET done_seq = wake_seq, due_at = NULL WHERE stream IN (SELECT 'run/' || r FROM unnest(@runs::text[]) r)",
	"DELETE FROM waiters WHERE stream = ANY (@streams::text[])",
	"DELETE FROM verdicts",
	`UPDATE runs SET alias = id, title = '` + store.ErasedTitle + `', goal = '', issue = '', reason = '', stage = '', branch = '', base = '', url = ''
		WHERE id = ANY (@runs::text[])`,
	"DELETE FROM tasks WHERE project_id = @project::text OR run_id = ANY (@runs::text[])",
	"DELETE FROM messages WHERE project_id = @project::text OR run_id = ANY (@runs::text[])",
	"DELETE FROM conversations WHERE project_id = @project::text",
	"DELETE FROM projects WHERE id = @project::text",
	`DELETE FROM documents WHERE kind NOT IN ('` + store.ErasureKind + `', '` + store.SchemaKind + `')
		AND (split_part(key, '/', 1) = @project::text OR split_part(key, '/', 1) = ANY (@runs::text[])
		OR kind = '` + store.NoticeKind + `' AND split_part(key, '/', 2) = ANY (@runs::text[])
		OR kind = '` + store.FormKind + `' AND EXISTS (SELECT 1 FROM unnest(@runs::text[]) r WHERE position(convert_to(r, 'UTF8') IN data) > 0))`,
}

// erase commits the record of an erasure and removes the content in one transaction. It is not repeated if the connection breaks:
// whoever asked looks whether the project is still there.
func (s *Store) erase(ctx context.Context, c commit) (err error) {
	w, err := newWrite(ctx, c, false)
	if err != nil {
		return err
	}
	ctx = pg.Patient(ctx, eraseTime)
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return explain("erase a project", err)
	}
	defer func() {
		if end := tx.Rollback(context.WithoutCancel(ctx)); !errors.Is(end, pgx.ErrTxClosed) {
			err = errors.Join(err, explain("undo an erasure", end))
		}
	}()
	if _, err := tx.Exec(ctx, "SET LOCAL idle_in_transaction_session_timeout = '10s'"); err != nil {
		return explain("erase a project", err)
	}
	answers, err := s.writer.send(ctx, s.q.WithTx(tx), []*write{w})
	if err != nil {
		return explain("erase a project", err)
	}
	if err := c.refusal(answers[0], false); err != nil {
		return err
	}
	args := pgx.NamedArgs{"project": c.Erase.Project, "runs": c.Erase.Runs()}
	streams, upto := []string{}, []int64{}
	for _, e := range c.Erase.Streams {
		streams, upto = append(streams, e.Stream), append(upto, e.Seq)
	}
	args["streams"], args["upto"] = streams, upto
	for _, statement := range eraseContent {
		if _, err := tx.Exec(ctx, statement, args); err != nil {
			return explain("erase a project", err)
		}
	}
	return explain("erase a project", tx.Commit(ctx))
}

// Scrub has the server reuse the space of what was removed. Its log, and copies of it, have that still.
func (s *Store) Scrub(ctx context.Context) error {
	_, err := s.pool.Exec(pg.Patient(ctx, scrubTime), "VACUUM events, snapshots, runs, tasks, messages, conversations, projects, documents, verdicts")
	return explain("reuse the space of what was removed", err)
}
