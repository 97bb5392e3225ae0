package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The files of an account, in the attempt's folder. The supervisor writes the first two, the engine the last.
const (
	journalFile = "meter.jsonl"
	wantFile    = "want.json"
	grantFile   = "grant.json"
)

// Grant is what the engine lets an attempt spend in all since its start. The zero Grant allows nothing.
type Grant struct {
	Seq int64 `json:"seq"` // of the want that it answers; 0 for the first
	Amount
	UnlimitedUSD    bool `json:"unlimited_usd,omitempty"`
	UnlimitedTokens bool `json:"unlimited_tokens,omitempty"`
	// Refused says why wants up to Seq get no more than this, in words for a person: which limit, and how to raise it.
	Refused string `json:"refused,omitempty"`
	// Held says that others hold some of what is missing, and may give it back: it is worth asking again.
	Held bool `json:"held,omitempty"`
}

// limit is the grant in whole units, as far as it answers what was given back last.
func (g Grant) limit(r *Return) sum {
	s := sumOf(g.Amount)
	if r != nil && g.Seq < r.Seq {
		s = s.atMost(sumOf(r.Keeps))
	}
	if g.UnlimitedUSD {
		s.nano = most
	}
	if g.UnlimitedTokens {
		s.tokens = most
	}
	return s
}

// Want asks the engine to raise the grant to at least a total. Seq grows with every want.
type Want struct {
	Seq   int64  `json:"seq"`
	Total Amount `json:"total"`
	Least Amount `json:"least,omitzero"` // with less than this total not even one reservation can be made
	// Return is what was given back last. It stays in the file, so that whoever keeps the account next knows of it.
	Return *Return `json:"return,omitempty"`
}

// Return gives a part of the grant back: whatever the grants before say, the attempt spends no more than it keeps until a
// want from Seq on is answered.
type Return struct {
	Seq   int64  `json:"seq"`
	Keeps Amount `json:"keeps"`
}

// ReadWant is what an attempt asks for; the zero Want if it has never asked.
func ReadWant(folder string) (Want, error) {
	var w Want
	err := readFile(filepath.Join(folder, wantFile), &w)
	if errors.Is(err, fs.ErrNotExist) {
		return Want{}, nil
	}
	return w, err
}

// WriteGrant tells an attempt what it may spend. The attempt sees the old grant or the new one, never a part.
func WriteGrant(folder string, g Grant) error { return writeFile(filepath.Join(folder, grantFile), g) }

func readFile(path string, into any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read an account: %w", err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("read an account: %s: %w", path, err)
	}
	return nil
}

// writeFile replaces a file. Nothing waits for the disk: should the machine lose its power, the attempt is over anyway.
func writeFile(path string, value any) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write an account: %w", err)
		}
	}()
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path))
	if err != nil {
		return err
	}
	_, err = file.Write(append(data, '\n'))
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(file.Name()))
	}
	return err
}
