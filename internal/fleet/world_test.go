package fleet

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// world is what everybody outside sees: the effects, one line each, in the order in which they were executed. It does
// not keep anybody from executing one twice.
type world struct{ dir string }

// act is an effect that was executed.
type act struct {
	key, engine string
	fence       string
}

func (w world) acts() ([]act, error) {
	var all []act
	err := w.lines("acts", func(f []string) { all = append(all, act{f[0], f[1], f[2]}) })
	return all, err
}

// refusals counts the conclusions of effects that engines were told are not theirs, by run and engine.
func (w world) refusals() (map[string]int, error) {
	all := map[string]int{}
	err := w.lines("refusals", func(f []string) { all[f[0]+" "+f[1]]++ })
	return all, err
}

func (w world) lines(name string, each func([]string)) error {
	file, err := os.Open(filepath.Join(w.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // only read from
	scan := bufio.NewScanner(file)
	for scan.Scan() {
		each(strings.Split(scan.Text(), "\t"))
	}
	return scan.Err()
}

// add writes a line at once, so that nobody sees half of one.
func (w world) add(name string, fields ...string) error {
	file, err := os.OpenFile(filepath.Join(w.dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(file, strings.Join(fields, "\t"))
	return errors.Join(err, file.Close())
}

// unstopped does something during which no test stops the process: what is done at once in the real world, such as a push
// that names the tip it expects, or a transaction of a server, is no two steps here either.
func (w world) unstopped(do func() error) error { return w.brake(unix.LOCK_SH, do) }

// stopping is for who stops processes.
func (w world) stopping(do func() error) error { return w.brake(unix.LOCK_EX, do) }

func (w world) brake(how int, do func() error) error {
	file, err := os.OpenFile(filepath.Join(w.dir, "brake"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	for err = unix.EINTR; errors.Is(err, unix.EINTR); {
		err = unix.Flock(int(file.Fd()), how)
	}
	if err == nil {
		err = do()
	}
	return errors.Join(err, file.Close())
}
