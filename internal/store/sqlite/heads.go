package sqlite

import (
	"context"
	"errors"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// selectHeads steps from one stream to the next in the index of the primary key, so that it takes
// no longer for streams with many events. sqlc cannot type the NULL that ends it.
const selectHeads = `WITH RECURSIVE names(stream) AS (
	SELECT min(stream) FROM events WHERE stream > ?1
	UNION ALL SELECT (SELECT min(stream) FROM events WHERE stream > names.stream) FROM names WHERE names.stream IS NOT NULL
)
SELECT events.stream, events.seq, events.hash, events.at FROM names
JOIN events ON events.stream = names.stream AND events.seq = (SELECT max(seq) FROM events WHERE stream = names.stream)
LIMIT CAST(?2 AS INTEGER)`

// Heads lists where streams stand.
func (s *Store) Heads(ctx context.Context, after string, limit int) (heads []store.StreamHead, err error) {
	rows, err := s.readers.QueryContext(ctx, selectHeads, after, sqlLimit(limit))
	if err != nil {
		return nil, s.explain(err)
	}
	defer func() { err = s.explain(errors.Join(err, rows.Close())) }()
	for rows.Next() {
		var stream, hash string
		var seq, at int64
		if err := rows.Scan(&stream, &seq, &hash, &at); err != nil {
			return nil, err
		}
		heads = append(heads, store.StreamHead{Stream: stream, Head: core.Head{Seq: seq, Hash: hash, At: fromMicros(at)}})
	}
	return heads, rows.Err()
}
