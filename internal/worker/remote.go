package worker

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/courier"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
)

// runFlags carries out an attempt on a machine that shares nothing with the engine: `worker run --exchange URL --token-file
// FILE [--dir DIR] [--resources DIR] [--mask DIR]...`. The token comes from a file, or from standard input (-), and not from a
// variable or an argument: an agent without isolation can read those of its worker.
func runFlags(ctx context.Context, args []string) error {
	var order wire.Order
	flags := flag.NewFlagSet("worker run", flag.ContinueOnError)
	file := flags.String("token-file", "", "file with the attempt's token, - for standard input")
	flags.StringVar(&order.URL, "exchange", "", "address of the engine")
	flags.StringVar(&order.Dir, "dir", os.TempDir(), "where the attempt's folder is made")
	flags.StringVar(&order.Resources, "resources", "", "folder in which the attempts of this machine tell what they take of it")
	flags.DurationVar(&order.Checkpoint, "checkpoint", wire.DefaultCheckpoint, "how often work in progress is handed in at most; less than 0 for never")
	flags.Func("mask", "folder of this machine that isolated agents do not see", func(dir string) error {
		order.Masked = append(order.Masked, dir)
		return nil
	})
	err := flags.Parse(args)
	if err == nil {
		order.Token, err = readToken(*file)
	}
	if err != nil {
		return err
	}
	return runRemote(ctx, order, newPrepared(nil))
}

// runRemote carries out an attempt that engines hand out.
func runRemote(ctx context.Context, order wire.Order, with prepared) error {
	self, err := programBeside()
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	return courier.Run(ctx, courier.Options{
		Order: order, Self: self, Lay: lay, Supervise: checkpointed(cmp.Or(order.Checkpoint, wire.DefaultCheckpoint), with, log), Log: log,
	})
}

func readToken(path string) (string, error) {
	in := os.Stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return "", fmt.Errorf("read the attempt's token: %w", err)
		}
		defer func() { _ = file.Close() }() // only read from
		in = file
	}
	const most = 4096
	data, err := io.ReadAll(io.LimitReader(in, most))
	if err != nil {
		return "", fmt.Errorf("read the attempt's token: %w", err)
	}
	return strings.TrimSpace(string(data)), nil
}

// programBeside is the whole program, which the attempt's tools start: beside this one, or this one itself.
func programBeside() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	const whole, worker = "stellwerk", "stellwerk-worker"
	if filepath.Base(self) != worker {
		return self, nil
	}
	beside := filepath.Join(filepath.Dir(self), whole)
	if _, err := os.Stat(beside); err != nil {
		return "", fmt.Errorf("find the program of the attempt's tools: %w", err)
	}
	return beside, nil
}
