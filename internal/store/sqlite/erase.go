package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// What is removed of a project. ?1 is the project, ?2 a list of its streams as in the record, ?3 a list of its runs.
var eraseContent = []string{
	fmt.Sprintf(`UPDATE events SET v = %d, actor = json_object('kind', json_extract(actor, '$.kind')), body = CAST(json_object('hash', hash) AS BLOB)
		FROM (SELECT value ->> 'stream' AS of_stream, value ->> 'seq' AS upto FROM json_each(?2)) AS erased
		WHERE stream = erased.of_stream AND seq <= erased.upto AND v <> %d AND type <> '%s'`, core.ErasedV, core.ErasedV, core.TypeProjectErased),
	"DELETE FROM snapshots WHERE stream IN (SELECT value ->> 'stream' FROM json_each(?2))",
	"UPDATE wakes SET done_seq = wake_seq, due_at = NULL WHERE stream IN (SELECT 'run/' || value FROM json_each(?3))",
	"DELETE FROM waiters WHERE stream IN (SELECT value ->> 'stream' FROM json_each(?2))",
	"DELETE FROM verdicts",
	`UPDATE runs SET alias = id, title = '` + store.ErasedTitle + `', goal = '', issue = '', reason = '', stage = '', branch = '', base = '', url = ''
		WHERE id IN (SELECT value FROM json_each(?3))`,
	"DELETE FROM tasks WHERE project_id = ?1 OR run_id IN (SELECT value FROM json_each(?3))",
	"DELETE FROM messages WHERE project_id = ?1 OR run_id IN (SELECT value FROM json_each(?3))",
	"DELETE FROM conversations WHERE project_id = ?1",
	"DELETE FROM projects WHERE id = ?1",
	`DELETE FROM documents WHERE kind NOT IN ('` + store.ErasureKind + `', '` + store.SchemaKind + `')
		AND (substr(key, 1, instr(key || '/', '/') - 1) IN (SELECT ?1 UNION ALL SELECT value FROM json_each(?3))
		OR kind = '` + store.NoticeKind + `' AND substr(key, instr(key, '/') + 1, instr(substr(key, instr(key, '/') + 1) || '/', '/') - 1) IN (SELECT value FROM json_each(?3))
		OR kind = '` + store.FormKind + `' AND EXISTS (SELECT 1 FROM json_each(?3) WHERE instr(CAST(documents.data AS TEXT), value) > 0))`,
}

// erase removes the content of a project.
func (s *Store) erase(ctx context.Context, e *store.Erasure) error {
	if e == nil {
		return nil
	}
	streams, err := json.Marshal(e.Streams)
	if err != nil {
		return err
	}
	runs, err := json.Marshal(e.Runs())
	if err != nil {
		return err
	}
	for _, statement := range eraseContent {
		if _, err := s.writer.conn.ExecContext(ctx, statement, e.Project, string(streams), string(runs)); err != nil {
			return fmt.Errorf("erase project %s: %w", e.Project, err)
		}
	}
	return nil
}

// Scrub writes the database anew, and empties its log. Writes wait as long.
func (s *Store) Scrub(ctx context.Context) error {
	return s.explain(s.writer.submit(&write{ctx: ctx, alone: func(ctx context.Context, conn *sql.Conn) error {
		if _, err := conn.ExecContext(ctx, "VACUUM"); err != nil {
			return fmt.Errorf("write the database anew: %w", err)
		}
		var busy, pages, moved int
		if err := conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved); err != nil {
			return fmt.Errorf("empty the database's log: %w", err)
		}
		if busy != 0 {
			return core.Errorf(core.CodeUnavailable, "the database's log cannot be emptied while somebody reads the database").WithHint("try again")
		}
		return nil
	}, result: make(chan error, 1)}))
}
