package shim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// LogFile receives what a shim itself has to say.
const LogFile = "shim.log"

// Order is what a shim that was started ahead of its attempt is told, once: the attempt's folder, and the variables that are
// handed over in memory. If Exchange is set, the attempt is somewhere else, and that says where (wire.Order): the folder is only
// that of the log, and empty if the shim has one. With Answer, the shim says on the pipe of VariableDone that it has the order,
// before it does anything for the attempt: one byte more than that pipe has otherwise.
type Order struct {
	Folder   string          `json:"folder,omitempty"`
	Env      []string        `json:"env,omitempty"`
	Exchange json.RawMessage `json:"exchange,omitempty"`
	Answer   bool            `json:"answer,omitempty"`
}

// ErrNoOrder means that a shim that was started ahead is not needed.
var ErrNoOrder = errors.New("no attempt came")

// Give tells a waiting shim what to do.
func (o Order) Give(to io.Writer) error { return json.NewEncoder(to).Encode(o) }

// Await waits for an order and makes this process what it would be if it had been started for that attempt: in its folder,
// with its variables and its log. A starter that ends, or needs no shim, closes the pipe: that is ErrNoOrder. So is one that no
// longer waits for the answer: it has another shim carry out the attempt.
func Await(from io.Reader) (Order, error) {
	var order Order
	if err := json.NewDecoder(from).Decode(&order); errors.Is(err, io.EOF) {
		return Order{}, ErrNoOrder
	} else if err != nil {
		return Order{}, fmt.Errorf("read the order for an attempt: %w", err)
	}
	if order.Answer && tellTaken() != nil {
		return Order{}, ErrNoOrder
	}
	if order.Folder != "" {
		if err := os.Chdir(order.Folder); err != nil {
			return Order{}, fmt.Errorf("go to the attempt's folder: %w", err)
		}
		if err := redirect(order.Folder); err != nil {
			return Order{}, fmt.Errorf("use the attempt's log: %w", err)
		}
	}
	for _, entry := range order.Env {
		name, value, _ := strings.Cut(entry, "=")
		if err := os.Setenv(name, value); err != nil {
			return Order{}, fmt.Errorf("take the variable %s: %w", name, err)
		}
	}
	return order, nil
}

// redirect has this process read nothing and write to the attempt's log, a panic included.
func redirect(folder string) error {
	log, err := os.OpenFile(filepath.Join(folder, LogFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	nothing, err := os.Open(os.DevNull)
	if err != nil {
		return errors.Join(err, log.Close())
	}
	for to, from := range []*os.File{nothing, log, log} {
		err = errors.Join(err, unix.Dup2(int(from.Fd()), to))
	}
	return errors.Join(err, log.Close(), nothing.Close())
}
