// Bench measures the figures that Stellwerk promises, each as a ratio of two
// things done side by side in one run on one machine, so that a slow disk or a
// busy processor strikes both. It must not measure anything but the real
// parts: the SQLite store, the engine, the dispatcher, git, the program itself.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/pprof"
	"strings"
	"syscall"
	"time"
)

const usage = `usage: go run ./bench [-only NAME] [-quick] [-for DURATION] [-report] [-before FILE] [-cpuprofile FILE]

Prints one line per figure: what is measured, the two sides, the limit, the
ratio, and whether it holds. Exit code 0 where every figure holds, 1 where one
is over its limit or could not be measured, 2 for a wrong command line.

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, out, errs io.Writer) int {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(errs)
	only := flags.String("only", "", "measure one figure: "+strings.Join(names(), ", "))
	quick := flags.Bool("quick", false, "fewer repetitions: minutes become seconds, and the ratios noisier")
	lasts := flags.Duration("for", 0, "measure for so long what says more the longer it lasts: "+strings.Join(lasting, ", "))
	profile := flags.String("cpuprofile", "", "write a processor profile to `FILE`, for go tool pprof")
	before := flags.String("before", "", "`FILE` of the program that figures about a change are compared with, such as a release's stellwerk")
	report := flags.Bool("report", false, "exit with 0 even where a figure is over its limit")
	flags.Usage = func() {
		fmt.Fprint(errs, usage)
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	chosen, err := choose(*only)
	if err != nil {
		fmt.Fprintln(errs, err)
		return 2
	}
	held, err := profiled(*profile, func() (bool, error) { return measure(ctx, chosen, *quick, *lasts, *before, out) })
	if err != nil {
		fmt.Fprintln(errs, err)
		return 1
	}
	if !held && !*report {
		return 1
	}
	return 0
}

// measure prints each figure as soon as it is known.
func measure(ctx context.Context, chosen []figure, quick bool, lasts time.Duration, before string, out io.Writer) (held bool, err error) {
	shop, err := openWorkshop(quick, lasts, before)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, shop.close()) }()
	header(out)
	held = true
	for _, f := range chosen {
		o, err := f.measure(ctx, shop)
		if err != nil {
			return false, fmt.Errorf("%s: %w\nThe engine's last words:\n%s", f.name, err, shop.lastWords())
		}
		held = held && f.holds(o)
		row(out, f, o)
	}
	return held, nil
}

// profiled runs fn, and writes where the processor's time went where a file is named.
func profiled(file string, fn func() (bool, error)) (bool, error) {
	if file == "" {
		return fn()
	}
	f, err := os.Create(file)
	if err != nil {
		return false, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return false, errors.Join(err, f.Close())
	}
	held, err := fn()
	pprof.StopCPUProfile()
	return held, errors.Join(err, f.Close())
}
