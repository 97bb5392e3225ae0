package postgres

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// channel is where the database tells of hints that were raised.
const channel = "stellwerk"

// listenIn signals what other engines raise, as soon as they have committed it, until the function that it returns is called. It has
// a connection of its own. Through a pooler nothing arrives, and while the server is away nothing does either: whoever waits for
// signals looks from time to time all the same.
func (s *Store) listenIn(pool *pgxpool.Pool) (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	config := pool.Config().ConnConfig
	config.OnNotification = nil // it is waited for
	go func() {
		defer close(done)
		pause := backoff.NewExponentialBackOff()
		pause.InitialInterval, pause.MaxInterval = firstPause, 10*time.Second
		for ctx.Err() == nil {
			if heard := s.hear(ctx, config); heard {
				pause.Reset()
			}
			select {
			case <-ctx.Done():
			case <-time.After(pause.NextBackOff()):
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// hear listens until the connection ends, and reports whether there was one. What happened before it is signalled, too.
func (s *Store) hear(ctx context.Context, config *pgx.ConnConfig) bool {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return false
	}
	defer func() {
		bye, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second) // the server may be gone
		defer cancel()
		_ = conn.Close(bye) // it is not used again
	}()
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return false
	}
	for s.signal(); ; {
		soon, cancel := context.WithTimeout(ctx, 2*s.writer.silence) // then it is asked whether it is still there
		told, err := conn.WaitForNotification(soon)
		cancel()
		if err == nil {
			if told.Payload != s.writer.name { // which has signalled at the answer to its call
				s.signal()
			}
			continue
		}
		if pgconn.Timeout(err) {
			_, err = conn.Exec(ctx, "-- ping")
		}
		if err != nil {
			return true
		}
	}
}
