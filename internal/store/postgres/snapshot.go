package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// Snapshot is one that somebody else keeps. The server cannot clean up what was replaced since, and everybody passes it.
type Snapshot struct {
	By           string
	Transactions int64 // that the server has begun since
}

// OldestSnapshot is what is kept longest by a connection, a standby or a prepared transaction; nil if nothing is kept for so many
// transactions.
func (s *Store) OldestSnapshot(ctx context.Context, transactions int64) (*Snapshot, error) {
	var kept Snapshot
	// A standby that tells what it reads has no database, and a process of the server's own, which cleans up, has no user.
	err := s.pool.QueryRow(ctx, `SELECT by, n FROM (
			SELECT format('connection %s of %s (%s)', pid, usename, coalesce(nullif(application_name, ''), 'unnamed')) AS by, age(backend_xmin)::bigint AS n
			FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename IS NOT NULL AND coalesce(datname, current_database()) = current_database()
			UNION ALL SELECT format('replication slot %s', slot_name), age(xmin)::bigint FROM pg_replication_slots
			UNION ALL SELECT format('prepared transaction %s of %s', gid, owner), age(transaction)::bigint FROM pg_prepared_xacts WHERE database = current_database()
		) AS kept WHERE n >= $1 ORDER BY n DESC LIMIT 1`, transactions).Scan(&kept.By, &kept.Transactions)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, explain("look for old snapshots", err)
	}
	return &kept, nil
}
