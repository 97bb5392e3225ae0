// Package handover gives a TCP connection from one process to another, over a unix socket. The process between a client and
// its server is then out of the way, and copies nothing. The package reads one byte and nothing else, and it takes nothing
// but a TCP connection, because it does not trust the giver.
package handover

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
)

// handing is the byte that a connection comes with. No protocol that a client may speak begins with it.
const handing = 0

// descriptorSize is that of a descriptor in a control message.
const descriptorSize = 4

// Give gives a client's connection to the process at the other end of to. Both can be closed afterwards.
func Give(to *net.UnixConn, client *net.TCPConn) error {
	raw, err := client.SyscallConn()
	if err != nil {
		return fmt.Errorf("hand over a connection: %w", err)
	}
	var sent error
	err = raw.Control(func(fd uintptr) {
		_, _, sent = to.WriteMsgUnix([]byte{handing}, syscall.UnixRights(int(fd)), nil)
	})
	if err := errors.Join(err, sent); err != nil {
		return fmt.Errorf("hand over a connection: %w", err)
	}
	return nil
}

// Take reads the first byte of a connection. If a connection is given with it, that is handed, and the byte is not the
// client's; handed is nil if the client itself speaks.
func Take(conn net.Conn) (first byte, handed net.Conn, err error) {
	var data [1]byte
	u, ok := conn.(*net.UnixConn)
	if !ok {
		_, err := conn.Read(data[:])
		return data[0], nil, err
	}
	rights := make([]byte, syscall.CmsgSpace(descriptorSize))
	n, size, _, _, err := u.ReadMsgUnix(data[:], rights)
	handed, taken := connection(rights[:size])
	switch {
	case err != nil:
	case n == 0:
		err = io.EOF
	case taken != nil:
		err = taken
	case data[0] == handing && handed != nil:
		return handing, handed, nil
	}
	if handed != nil {
		err = errors.Join(err, handed.Close()) // nobody asked for it
	}
	return data[0], nil, err
}

// connection makes a connection of the one descriptor in a control message and closes all others. Only a TCP connection is
// taken: a client can send whatever it has.
func connection(control []byte) (net.Conn, error) {
	messages, err := syscall.ParseSocketControlMessage(control)
	if err != nil {
		return nil, err
	}
	var files []*os.File
	for _, m := range messages {
		fds, err := syscall.ParseUnixRights(&m)
		if err != nil {
			continue // of another kind
		}
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "handed over")) //nolint:gosec // the kernel's own number
		}
	}
	defer func() {
		for _, f := range files {
			_ = f.Close() // a connection has a descriptor of its own
		}
	}()
	if len(files) != 1 {
		return nil, nil
	}
	conn, err := net.FileConn(files[0])
	if err != nil {
		return nil, fmt.Errorf("take over a connection: %w", err)
	}
	if _, ok := conn.(*net.TCPConn); !ok {
		return nil, errors.Join(errors.New("what was handed over is no TCP connection"), conn.Close())
	}
	return conn, nil
}
