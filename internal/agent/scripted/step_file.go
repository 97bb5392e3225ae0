package scripted

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

type writeFile struct {
	path, content string
	appending     bool
}

func (w *writeFile) play(_ context.Context, s *session) error {
	return s.call("Write", map[string]any{"path": w.path, "bytes": len(w.content)}, func() (string, error) {
		return "", w.store(s.path(w.path))
	})
}

func (w *writeFile) store(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making the folder of %s: %w", w.path, err)
	}
	mode := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	if w.appending {
		mode = os.O_CREATE | os.O_WRONLY | os.O_APPEND
	}
	file, err := os.OpenFile(path, mode, 0o644)
	if err != nil {
		return fmt.Errorf("opening %s: %w", w.path, err)
	}
	_, err = file.WriteString(w.content)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", w.path, err)
	}
	return nil
}

type deleteFile struct{ path string }

func (d *deleteFile) play(_ context.Context, s *session) error {
	return s.call("Bash", map[string]any{"command": "rm -r " + d.path}, func() (string, error) {
		if err := os.RemoveAll(s.path(d.path)); err != nil {
			return "", fmt.Errorf("deleting %s: %w", d.path, err)
		}
		return "", nil
	})
}

type writeReport struct {
	fields map[string]any
	raw    string
}

func (r *writeReport) play(ctx context.Context, s *session) error {
	if r.raw != "" {
		file := writeFile{path: "out:report.json", content: r.raw}
		return file.play(ctx, s)
	}
	s.report = make(map[string]any, len(r.fields))
	for name, value := range r.fields {
		s.report[name] = value
	}
	return s.saveReport(ctx)
}

type askQuestion struct{ question string }

func (a *askQuestion) play(ctx context.Context, s *session) error {
	if s.report == nil {
		s.report = map[string]any{"status": "blocked"}
	}
	asked, _ := s.report["blocking_questions"].([]any)
	s.report["blocking_questions"] = append(asked, a.question)
	return s.saveReport(ctx)
}

func (s *session) saveReport(ctx context.Context) error {
	data, err := json.MarshalIndent(s.report, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding report.json: %w", err)
	}
	file := writeFile{path: "out:report.json", content: string(data) + "\n"}
	return file.play(ctx, s)
}

type expectPrompt struct{ pattern *regexp.Regexp }

func (e *expectPrompt) play(_ context.Context, s *session) error {
	prompt, err := os.ReadFile(s.env.Prompt)
	if err != nil {
		return &unexpectedError{fmt.Sprintf("the prompt cannot be read: %v", err)}
	}
	// A retry is told what the last attempt complained about. That it is told so is not
	// what was missing.
	complaint := fmt.Sprintf("the prompt does not contain %q", e.pattern)
	if !e.pattern.Match(bytes.ReplaceAll(prompt, []byte(complaint), nil)) {
		return &unexpectedError{complaint}
	}
	return nil
}

type readInput struct{ name string }

func (r *readInput) play(_ context.Context, s *session) error {
	return s.call("Read", map[string]any{"path": "in:" + r.name}, func() (string, error) {
		data, err := os.ReadFile(filepath.Join(s.env.In, r.name))
		if err != nil {
			return "", &unexpectedError{fmt.Sprintf("the input artifact %s cannot be read: %v", r.name, err)}
		}
		return fmt.Sprintf("%d bytes", len(data)), nil
	})
}
