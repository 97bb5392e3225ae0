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
	git    git
	packed *packed // where objects are looked for first; nil for nowhere

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

// readAll returns the contents of objects of one kind, in the order of their names, each a full hash. All are asked for at
// once. *TooBigError means that one is larger than limit.
func (r *reader) readAll(ctx context.Context, kind string, hashes []string, limit int64) (contents [][]byte, err error) {
	for _, hash := range hashes {
		if !isHash(hash) {
			return nil, fmt.Errorf("%q is not a full hash", hash)
		}
	}
	if r.packed != nil {
		if contents, err = r.packed.readAll(kind, hashes, limit); err == nil {
			return contents, nil
		}
	}
	err = r.talk(ctx, func(p *readerProcess) (err error) { // which also says what is wrong with the pack, if anything is
		contents, err = p.askAll(kind, hashes, limit)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read %d objects: %w", len(hashes), err)
	}
	return contents, nil
}

// ask puts one question to the process.
func (r *reader) ask(ctx context.Context, question, name string) (found object, content []byte, err error) {
	if err := checkRev(name); err != nil {
		return object{}, nil, err
	}
	err = r.talk(ctx, func(p *readerProcess) (err error) {
		found, content, err = p.ask(question, name)
		return err
	})
	if err != nil {
		return object{}, nil, fmt.Errorf("look up %q: %w", name, err)
	}
	return found, content, nil
}

// talk has the process alone, and replaces a process that has died since it was last needed.
func (r *reader) talk(ctx context.Context, say func(*readerProcess) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	fresh := r.process == nil
	err := r.once(ctx, say)
	if err != nil && !errors.Is(err, ErrNotFound) && !fresh && ctx.Err() == nil {
		err = r.once(ctx, say)
	}
	return err
}

func (r *reader) once(ctx context.Context, say func(*readerProcess) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.process == nil {
		if r.process, err = r.git.startReader(); err != nil {
			return err
		}
	}
	kill := context.AfterFunc(ctx, r.process.kill)
	err = say(r.process)
	if !kill() {
		err = context.Cause(ctx)
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		said := r.process.end()
		r.process = nil
		return errors.Join(err, said)
	}
	r.later()
	return err
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
	found, err := p.answer(name)
	if err != nil || question != "contents" {
		return found, nil, err
	}
	content, err := p.content(found.size)
	if err != nil {
		return object{}, nil, err
	}
	return found, content, nil
}

// askAll asks for all contents while it reads the answers, which do not all fit in a pipe. A process that stays half-read is of
// no more use, so a missing object is not ErrNotFound.
func (p *readerProcess) askAll(kind string, hashes []string, limit int64) (contents [][]byte, err error) {
	asked := make(chan error, 1)
	go func() {
		_, err := io.WriteString(p.in, "contents "+strings.Join(hashes, "\ncontents ")+"\n")
		asked <- err
	}()
	for _, hash := range hashes {
		found, err := p.answer(hash)
		switch {
		case errors.Is(err, ErrNotFound):
			err = fmt.Errorf("there is no object %s", hash)
		case err == nil && (found.hash != hash || found.kind != kind):
			err = fmt.Errorf("asked for the %s %s, git answers with the %s %s", kind, hash, found.kind, found.hash)
		case err == nil && found.size > limit:
			err = &TooBigError{What: hash, Size: found.size, Limit: limit}
		}
		var content []byte
		if err == nil {
			content, err = p.content(found.size)
		}
		if err != nil {
			p.kill() // so that nobody waits to ask it
			return nil, errors.Join(err, <-asked)
		}
		contents = append(contents, content)
	}
	return contents, <-asked
}

// answer reads "hash kind size".
func (p *readerProcess) answer(name string) (object, error) {
	line, err := p.out.ReadString('\n')
	if err != nil {
		return object{}, err
	}
	line = strings.TrimSuffix(line, "\n")
	if line == name+" missing" {
		return object{}, ErrNotFound
	}
	fields := strings.Split(line, " ")
	if len(fields) != 3 || !isHash(fields[0]) {
		return object{}, fmt.Errorf("unexpected answer of git: %.200q", line)
	}
	size, err := strconv.ParseUint(fields[2], 10, 62)
	if err != nil {
		return object{}, fmt.Errorf("unexpected answer of git: %w", err)
	}
	return object{hash: fields[0], kind: fields[1], size: int64(size)}, nil
}

func (p *readerProcess) content(size int64) ([]byte, error) {
	content := make([]byte, size+1) // and the line's end
	_, err := io.ReadFull(p.out, content)
	return content[:size], err
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
