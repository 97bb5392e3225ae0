package sandbox

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// gauge counts the packets that a process in a closed network sent to addresses that it has no route to. The kernel counts
// them for each network, and an open file of its counters keeps them after the last process has left.
type gauge struct{ counters []*os.File }

// kernelCounters are the files with a network's counters, and the names of those that count packets without a route.
func kernelCounters() map[string]string {
	return map[string]string{"snmp": "OutNoRoutes", "snmp6": "Ip6OutNoRoutes"}
}

// start starts bubblewrap, which waits inside until the counters are open.
func (g *gauge) start(cmd *exec.Cmd, bubblewrap string) error {
	told, tells, err := unbroken()
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	waits, lets, err := os.Pipe()
	if err != nil {
		return errors.Join(fmt.Errorf("sandbox: %w", err), told.Close(), tells.Close())
	}
	first := firstInherited + len(cmd.ExtraFiles)
	cmd.ExtraFiles = append(cmd.ExtraFiles, tells, waits)
	// Another command may come before bubblewrap, such as one that sets limits.
	cmd.Args = slices.Insert(cmd.Args, slices.Index(cmd.Args, bubblewrap)+1, "--info-fd", strconv.Itoa(first), "--block-fd", strconv.Itoa(first+1))
	if err := errors.Join(cmd.Start(), tells.Close(), waits.Close()); err != nil {
		return errors.Join(err, told.Close(), lets.Close())
	}
	if err := g.open(told); err != nil {
		_, _ = cmd.Process.Kill(), cmd.Wait() // it waits inside, and has done nothing yet
		return errors.Join(err, told.Close(), lets.Close())
	}
	_, _ = lets.Write([]byte{'\n'}) // fails if bubblewrap has ended
	return errors.Join(told.Close(), lets.Close())
}

// unbroken is a pipe whose writing end can be read from too, so that writing never fails for want of a reader. Otherwise
// bubblewrap would be killed when it writes to a dead supervisor, and leave a process behind that waits for it for ever.
func unbroken() (r, w *os.File, err error) {
	r, end, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	w, err = os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", end.Fd()), os.O_RDWR, 0)
	if err = errors.Join(err, end.Close()); err != nil {
		return nil, nil, errors.Join(err, r.Close())
	}
	return r, w, nil
}

// open finds the network of bubblewrap's child. A bubblewrap that failed tells no child, and prints why itself.
func (g *gauge) open(told io.Reader) error {
	var info struct {
		Child int `json:"child-pid"`
	}
	if err := json.NewDecoder(told).Decode(&info); err != nil {
		return nil //nolint:nilerr // the process ends with bubblewrap's own message
	}
	for name := range kernelCounters() {
		file, err := os.Open(fmt.Sprintf("/proc/%d/net/%s", info.Child, name))
		if errors.Is(err, os.ErrNotExist) {
			continue // a kernel without IPv6
		}
		if err != nil {
			return fmt.Errorf("sandbox: open the counters of its network: %w", err)
		}
		g.counters = append(g.counters, file)
	}
	return nil
}

// read returns the sum and closes the files.
func (g *gauge) read() (packets int64, err error) {
	for _, file := range g.counters {
		n, readErr := noRoute(file)
		packets, err = packets+n, errors.Join(err, readErr, file.Close())
	}
	g.counters = nil
	return packets, err
}

// noRoute finds the counter. One file has a line of names above a line of values, the other a name and a value a line.
func noRoute(file io.Reader) (int64, error) {
	var names []string
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 2 && fields[0] == kernelCounters()["snmp6"] {
			return strconv.ParseInt(fields[1], 10, 64)
		}
		if i := slices.Index(names, kernelCounters()["snmp"]); i > 0 && i < len(fields) && fields[0] == names[0] {
			return strconv.ParseInt(fields[i], 10, 64)
		}
		names = fields
	}
	return 0, errors.Join(lines.Err(), errors.New("sandbox: the kernel does not count packets without a route"))
}
