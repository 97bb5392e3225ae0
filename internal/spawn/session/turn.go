package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// The files of the turn folder. The shim shows it to Await, which can read it
// and nothing else of the attempt folder.
const (
	transcriptFile = "transcript.jsonl"
	doneFile       = "done.json"
)

// maxTranscript bounds what is taken over of a session's own record of an agent.
const maxTranscript = 256 << 20

// TurnDir is the folder in which the end of an agent's work is announced.
func TurnDir(folder string) string { return filepath.Join(folder, turnDir) }

type done struct {
	Message string `json:"message"`
}

// HandIn announces that the agent of an attempt has ended: its last words, and
// what its program wrote down of its work, nil if there is nothing. Announced
// again it changes nothing.
func HandIn(folder, message string, transcript io.Reader) error {
	dir := TurnDir(folder)
	if _, err := os.Lstat(filepath.Join(dir, doneFile)); err == nil {
		return nil
	}
	if transcript != nil {
		if err := keep(filepath.Join(dir, transcriptFile), transcript); err != nil {
			return fmt.Errorf("keep the agent's transcript: %w", err)
		}
	}
	return write(filepath.Join(dir, doneFile), done{Message: message})
}

func keep(path string, content io.Reader) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, io.LimitReader(content, maxTranscript))
	return errors.Join(err, f.Close())
}

// Await stands in the place of an agent that a session runs: it returns when the
// agent's end is announced in the turn folder, and writes its transcript to out,
// closed by a line that says what the agent said last.
func Await(ctx context.Context, dir string, out io.Writer) error {
	end, err := await[done](ctx, filepath.Join(dir, doneFile))
	if err != nil {
		return err
	}
	f, err := os.Open(filepath.Join(dir, transcriptFile))
	if err == nil {
		_, err = io.Copy(out, f)
		err = errors.Join(err, f.Close())
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("copy the agent's transcript: %w", err)
	}
	line, err := json.Marshal(map[string]any{
		"type": "result", "subtype": "success", "is_error": false, "terminal_reason": "completed", "result": end.Message,
	})
	if err != nil {
		return fmt.Errorf("close the agent's transcript: %w", err)
	}
	_, err = fmt.Fprintf(out, "\n%s\n", line)
	return err
}

// Ended says whether the agent of an attempt has ended.
func Ended(folder string) bool {
	_, err := os.Lstat(filepath.Join(TurnDir(folder), doneFile))
	return err == nil
}
