// River measures how long a job waits in River, an idle queue on PostgreSQL: from its insertion until a worker begins it. Stellwerk's
// own figure is compared with it. It is a module of its own, so that the program does not depend on what it is compared with.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

type job struct{}

func (job) Kind() string { return "wake" }

type worker struct {
	river.WorkerDefaults[job]
	began chan time.Time
}

func (w *worker) Work(context.Context, *river.Job[job]) error {
	w.began <- time.Now()
	return nil
}

// usage: river ADDRESS, and then on each line of standard input how many milliseconds to rest before the next job. It prints how many
// nanoseconds each took.
func main() {
	if err := run(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, address string) error {
	pool, err := pgxpool.New(ctx, address)
	if err != nil {
		return err
	}
	defer pool.Close()
	driver := riverpgxv5.New(pool)
	migrator, err := rivermigrate.New(driver, nil)
	if err != nil {
		return err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return err
	}
	w := &worker{began: make(chan time.Time)}
	workers := river.NewWorkers()
	river.AddWorker(workers, w)
	client, err := river.NewClient(driver, &river.Config{
		Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 8}}, Workers: workers,
		FetchCooldown: time.Millisecond, // the least it allows
	})
	if err != nil {
		return err
	}
	if err := client.Start(ctx); err != nil {
		return err
	}
	var rest string
	for {
		if _, err := fmt.Scanln(&rest); err != nil {
			return client.Stop(ctx)
		}
		pause, err := strconv.Atoi(rest)
		if err != nil {
			return err
		}
		time.Sleep(time.Duration(pause) * time.Millisecond)
		began := time.Now()
		if _, err := client.Insert(ctx, job{}, nil); err != nil {
			return err
		}
		fmt.Println((<-w.began).Sub(began).Nanoseconds())
	}
}
