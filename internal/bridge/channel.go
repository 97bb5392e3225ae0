package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"
)

// Channel is a supervisor's end of its connection with a bridge that it started. No other process inside has the bridge's end.
type Channel struct {
	conn net.Conn
	said *json.Decoder
}

// Ending is how the command of a bridge ended. Nothing but the bridge runs inside any more.
type Ending struct {
	Code int `json:"code"` // 128 plus the number of a signal
	// CPU is the time of all processes that ran inside, Memory what the largest of them had.
	CPU    time.Duration `json:"cpu"`
	Memory int64         `json:"memory"`
}

// Request is what a bridge does for its supervisor when its command has ended: what its program does if it is started with
// Argv. Env is all that it knows of an environment then, and Dir its folder. It refuses to do it unless Workspace, by its path
// inside, is the same folder as outside: the command may have put another in its place.
type Request struct {
	Argv      []string `json:"argv"`
	Env       []string `json:"env"`
	Dir       string   `json:"dir"`
	Workspace string   `json:"workspace"`
	Identity  Identity `json:"identity"`
}

// Identity tells a folder from all others of a machine.
type Identity struct {
	Device uint64 `json:"device"`
	Inode  uint64 `json:"inode"`
}

// IdentityOf is the identity of the folder at path; links on the way are followed.
func IdentityOf(path string) (Identity, error) {
	var stat syscall.Stat_t
	if err := syscall.Stat(path, &stat); err != nil {
		return Identity{}, fmt.Errorf("look at %s: %w", path, err)
	}
	return Identity{Device: uint64(stat.Dev), Inode: stat.Ino}, nil //nolint:gosec,unconvert // its type differs between systems
}

// answer is what became of a Request.
type answer struct {
	Error string `json:"error,omitempty"`
}

// maxSaid bounds all that a bridge says.
const maxSaid = 64 << 10

// NewChannel makes a channel. The bridge inherits theirs, which the caller closes when the bridge was started.
func NewChannel() (_ *Channel, theirs *os.File, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("make a channel to the sandbox: %w", err)
		}
	}()
	syscall.ForkLock.RLock()
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(ends[0])
		syscall.CloseOnExec(ends[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, err
	}
	ours := os.NewFile(uintptr(ends[0]), "channel")  //nolint:gosec // the kernel's own number
	theirs = os.NewFile(uintptr(ends[1]), "channel") //nolint:gosec // the same
	conn, err := net.FileConn(ours)                  // a copy that can be closed while it is read
	if err = errors.Join(err, ours.Close()); err != nil {
		return nil, nil, errors.Join(err, theirs.Close())
	}
	return &Channel{conn: conn, said: json.NewDecoder(io.LimitReader(conn, maxSaid))}, theirs, nil
}

// Ending waits for the end of the command. An error means that the bridge has ended without a word, or soon does.
func (c *Channel) Ending() (Ending, error) {
	var e Ending
	err := c.said.Decode(&e)
	return e, err
}

// Do has the bridge carry out a request, and returns when it has. A bridge does so once.
func (c *Channel) Do(r Request) error {
	if err := json.NewEncoder(c.conn).Encode(r); err != nil {
		return fmt.Errorf("ask the sandbox's first process: %w", err)
	}
	var a answer
	if err := c.said.Decode(&a); err != nil {
		return fmt.Errorf("hear from the sandbox's first process: %w", err)
	}
	if a.Error != "" {
		return errors.New(a.Error)
	}
	return nil
}

// Close lets a bridge go that waits for a request.
func (c *Channel) Close() { _ = c.conn.Close() } // it is of no use any more, whatever happens
