package yard

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// readerRest is how long a reader's process stays without being asked.
const readerRest = 30 * time.Second

// reader looks objects up through one long-lived git process, so that a look-up does not cost a process. It only reads, and
// holds no lock that another git process would wait for. The process ends with its standard input, and so with the engine.
type reader struct {
	git git

	mu      sync.Mutex
	process *readerProcess // nil if it was not needed for a while
	rest    *time.Timer
}

// object is what git says about a name.
type object struct {
	hash string
	kind string // commit, tree, blob or tag
	size int64
}

// look finds the object that a name stands for, without its content: ErrNotFound if there is none.
func (r *reader) look(ctx context.Context, name string) (object, error) {
	found, _, err := r.ask(ctx, "info", name)
	return found, err
}

// read returns an object's content: ErrNotFound if there is none, *TooBigError if it is larger than limit.
func (r *reader) read(ctx context.Context, name string, limit int64) (object, []byte, error) {
	found, err := r.look(ctx, name)
	if err != nil {
		return object{}, nil, err
	}
	if found.size > limit {
		return object{}, nil, &TooBigError{What: name, Size: found.size, Limit: limit}
	}
	return r.ask(ctx, "contents", found.hash)
}

// ask puts one question to the process, and replaces a process that has died since the last one.
func (r *reader) ask(ctx context.Context, question, name string) (object, []byte, error) {
	if err := checkRev(name); err != nil {
		return object{}, nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	fresh := r.process == nil
	found, content, err := r.once(ctx, question, name)
	if err != nil && !errors.Is(err, ErrNotFound) && !fresh && ctx.Err() == nil {
		found, content, err = r.once(ctx, question, name)
	}
	if err != nil {
		return object{}, nil, fmt.Errorf("look up %q: %w", name, err)
	}
	return found, content, nil
}

func (r *reader) once(ctx context.Context, question, name string) (found object, content []byte, err error) {
	if err := ctx.Err(); err != nil {
		return object{}, nil, err
	}
	if r.process == nil {
		if r.process, err = r.git.startReader(); err != nil {
			return object{}, nil, err
		}
	}
	kill := context.AfterFunc(ctx, r.process.kill)
	found, content, err = r.process.ask(question, name)
	if !kill() {
		err = context.Cause(ctx)
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		said := r.process.end()
		r.process = nil
		return object{}, nil, errors.Join(err, said)
	}
	r.later()
	return found, content, err
}

// later puts off the end of the process.
func (r *reader) later() {
	if r.rest == nil {
		r.rest = time.AfterFunc(readerRest, func() { _ = r.close() }) // how it ended does not matter
		return
	}
	r.rest.Reset(readerRest)
}

// close ends the process, if there is one. A reader can be asked again afterwards.
func (r *reader) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rest != nil {
		r.rest.Stop()
	}
	if r.process == nil {
		return nil
	}
	err := r.process.end()
	r.process = nil
	return err
}

// readerProcess is git waiting for questions.
type readerProcess struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *tail
}

func (g git) startReader() (*readerProcess, error) {
	cmd := exec.Command("git", g.configured("cat-file", "--batch-command")...) //nolint:noctx // it outlives the question it is started for
	cmd.Dir, cmd.Env = g.dir, g.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	p := &readerProcess{cmd: cmd, stderr: &tail{max: maxStderr}}
	cmd.Stderr = p.stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewReader(out)
	return p, nil
}

// ask reads "hash kind size", and the content if that was the question.
func (p *readerProcess) ask(question, name string) (object, []byte, error) {
	if _, err := io.WriteString(p.in, question+" "+name+"\n"); err != nil {
		return object{}, nil, err
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return object{}, nil, err
	}
	line = strings.TrimSuffix(line, "\n")
	if line == name+" missing" {
		return object{}, nil, ErrNotFound
	}
	fields := strings.Split(line, " ")
	if len(fields) != 3 || !isHash(fields[0]) {
		return object{}, nil, fmt.Errorf("unexpected answer of git: %.200q", line)
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return object{}, nil, fmt.Errorf("unexpected answer of git: %w", err)
	}
	found := object{hash: fields[0], kind: fields[1], size: size}
	if question != "contents" {
		return found, nil, nil
	}
	content := make([]byte, size+1) // and the line's end
	if _, err := io.ReadFull(p.out, content); err != nil {
		return object{}, nil, err
	}
	return found, content[:size], nil
}

func (p *readerProcess) kill() { _ = p.cmd.Process.Kill() } // it may have ended already

// end stops the process and returns its complaints.
func (p *readerProcess) end() error {
	err := p.in.Close()
	_, drained := io.Copy(io.Discard, p.out)
	if err = errors.Join(err, drained, p.cmd.Wait()); err == nil {
		return nil
	}
	return fmt.Errorf("git cat-file: %w: %s", err, p.stderr)
}
