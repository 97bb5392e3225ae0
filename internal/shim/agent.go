package shim

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/bridge"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// stderrShare is the part of the output limit that standard error gets.
const stderrShare = 8

// runAgent runs the agent's process to its end and fills in exit. If the process never ran, exit stays at start-failed;
// otherwise an error says what went wrong around the run. With or without one, the agent's sandbox may still be there, to hand
// in: the caller closes it.
func runAgent(ctx context.Context, folder string, spec Spec, opts Options, with provisions, exit *Exit) (*inside, error) {
	launch, err := with.adapter.Launch(spec.Job)
	if err != nil {
		return nil, fmt.Errorf("prepare agent %s: %w", with.adapter.Name(), err)
	}
	stdin, err := openInput(launch.Stdin)
	if err != nil {
		return nil, err
	}
	defer func() { _ = stdin.Close() }() // only read from, if there is one
	transcript, err := openJournal(folder, with.redactor, spec.OutputBytes)
	if err != nil {
		return nil, err
	}
	way, err := openGateway(ctx, folder, spec, opts, with.model, transcript)
	if err != nil {
		return nil, errors.Join(err, transcript.close())
	}
	box, err := agentBox(folder, spec, opts.Self, launch, with.secrets, way)
	if err == nil {
		err = writeSettings(spec, box.Env)
	}
	if err != nil {
		_, closeErr := way.close()
		return nil, errors.Join(err, closeErr, transcript.close())
	}
	reader := with.adapter.Reader()
	stays := spec.handsInInside(box, opts)
	if stays {
		box.Network.Starter = bridge.Command(opts.Self, bridge.Options{
			Socket: sandbox.SocketPath, Channel: sandbox.FirstFile, Largest: spec.Resources.Limits.Disk,
		})
		with.running = nil // no other process comes after the agent
	}
	end, streams, err := supervise(ctx, spec, box, stdin, transcript, reader, with, opts.Beside, stays)
	lines, linesErr := closeLines(folder, spec, end.took)
	var closeErr error
	exit.Traffic, closeErr = way.close()
	if err = errors.Join(err, closeErr); err != nil {
		return end.inside, errors.Join(err, linesErr, transcript.close())
	}
	if exit.Traffic != nil {
		exit.Traffic.Unrouted = end.unrouted + lines.Unrouted
	}
	exit.Reason, exit.ExitCode, exit.Signal, exit.Killed = end.reason, end.code, signalName(end.signal), end.killed
	exit.Resources = end.took.with(lines.Took)
	exit.Outcome = reader.Close(end.code)
	if way.overdrawn() && !exit.Outcome.OK { // however the program took it
		exit.Outcome.Class = agent.ClassBudget
	}
	for _, s := range streams {
		exit.OutputBytes += s.total
		exit.OutputDropped += s.capture.dropped
	}
	return end.inside, errors.Join(linesErr, transcript.close())
}

// supervise runs the process with both its streams read. The streams are finished when it returns.
func supervise(ctx context.Context, spec Spec, box sandbox.Spec, stdin *os.File, j *journal, reader agent.Reader, with provisions, beside func() []int, stays bool,
) (end ending, streams []*stream, err error) {
	stdout, err := newStream("standard output", j, spec.OutputBytes, agent.Opaque(spec.Agent), reader.Line)
	if err != nil {
		return ending{}, nil, fmt.Errorf("open a pipe to the agent: %w", err)
	}
	streams = append(streams, stdout)
	defer func() {
		for _, s := range streams {
			err = errors.Join(err, s.finish(end.inside != nil))
		}
	}()
	stderr, err := newStream("standard error", j, spec.OutputBytes/stderrShare, true, func(line []byte) []agent.Record {
		return []agent.Record{{Kind: agent.KindStderr, Text: string(line)}}
	})
	if err != nil {
		stdout.started()
		return ending{}, streams, fmt.Errorf("open a pipe to the agent: %w", err)
	}
	streams = append(streams, stderr)
	end, err = process{
		kind: spec.Isolation, box: box, stdin: stdin, stdout: stdout.write, stderr: stderr.write,
		limit: time.Duration(spec.Timeout), grace: time.Duration(spec.Grace),
		group: with.group, shared: spec.Resources.Shared, own: []string{spec.Job.Dir, spec.Workspace, spec.Job.Out, spec.Job.Home},
		beside: beside, stays: stays, started: func() {
			stdout.started()
			stderr.started()
			if with.running != nil {
				with.running()
			}
		},
	}.run(ctx)
	return end, streams, err
}

// openInput opens the file that the agent reads; nil if it reads none.
func openInput(path string) (*os.File, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the agent's input: %w", err)
	}
	return file, nil
}
