package shell

import (
	"io"
	"os"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// maxWords bounds a text; the engine has bounds of its own.
const maxWords = 1 << 20

// ReadText returns the given text, or reads it from a file, or from standard input
// if either is "-".
func (sh *Shell) ReadText(given, file string) (string, error) {
	from := sh.Console.In
	switch {
	case file != "" && file != "-":
		f, err := os.Open(file)
		if err != nil {
			return "", core.Wrap(core.CodeNotFound, err, "cannot read the text", "name a file that exists, or - for standard input")
		}
		defer func() { _ = f.Close() }() // only read from
		from = f
	case file == "" && given != "-":
		return given, nil
	}
	data, err := io.ReadAll(io.LimitReader(from, maxWords+1))
	if err != nil {
		return "", err
	}
	if len(data) > maxWords {
		return "", Usagef("the text has more than %d bytes", maxWords)
	}
	return strings.TrimSpace(string(data)), nil
}
