package snapshot

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Write replaces a session's snapshot in one piece.
func Write(state string, s Snapshot) error {
	dir, err := Dir(state, s.Session)
	if err != nil {
		return err
	}
	s.Proto = Proto
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode the session's snapshot: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the session's folder: %w", err)
	}
	temp, err := os.CreateTemp(dir, ".snapshot")
	if err != nil {
		return fmt.Errorf("write the session's snapshot: %w", err)
	}
	_, err = temp.Write(append(data, '\n'))
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), filepath.Join(dir, file))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write the session's snapshot: %w", err), os.Remove(temp.Name()))
	}
	return nil
}

// Remove says that a session owns no run any more. One that never did is left
// without a folder.
func Remove(state, session string) error {
	dir, err := Dir(state, session)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(dir); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return Write(state, Snapshot{Session: session, Over: true})
}
