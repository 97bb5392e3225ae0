package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

// ask puts the gate to the person. It returns nil where they leave it.
func (sh *shell) ask(ctx context.Context, svc api.Service, d api.RunDetail) (*api.Run, error) {
	sh.printLines(sh.view().Run(d))
	for {
		choice, err := sh.answer(ctx, "\n[a]pprove, [f]eedback, [r]ollback, [s]how documents, show [d]iff, or [l]eave: ")
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		run, decided, err := sh.choose(ctx, svc, d, strings.ToLower(choice))
		if err != nil {
			// A refusal is an answer: say why, and ask again.
			sh.complain(err.Error(), "")
			continue
		}
		if decided {
			return run, nil
		}
	}
}

// choose carries out one answer; decided is false where the question stands.
func (sh *shell) choose(ctx context.Context, svc api.Service, d api.RunDetail, choice string) (run *api.Run, decided bool, err error) {
	said := func(r api.Run, err error) (*api.Run, bool, error) { return &r, err == nil, err }
	switch choice {
	case "a", "approve":
		return said(svc.Approve(ctx, d.ID, api.Approve{Subject: &d.Gate.Subject}))
	case "f", "feedback":
		text, err := sh.prompt(ctx, "What is to change? ")
		if err != nil || text == "" {
			return nil, false, err
		}
		return said(svc.Feedback(ctx, d.ID, api.Feedback{Text: text}))
	case "r", "rollback":
		to, err := sh.prompt(ctx, fmt.Sprintf("Back to which stage? [%s] ", terminal.Line(suggestion(d))))
		if err != nil {
			return nil, false, err
		}
		text, err := sh.prompt(ctx, "What is to change there? (may be empty) ")
		if err != nil {
			return nil, false, err
		}
		return said(svc.Rollback(ctx, d.ID, api.Rollback{To: to, Text: text}))
	case "s", "show":
		sh.showGate(ctx, svc, d)
		return nil, false, nil
	case "d", "diff":
		return nil, false, sh.diffTo(ctx, svc, d.ID, api.DiffQuery{})
	case "":
		return nil, false, nil
	case "l", "leave", "q":
		return nil, true, nil
	}
	sh.printf("Please answer with one of the letters.\n")
	return nil, false, nil
}

// suggestion is where a rollback without a target goes, or a hint to name one.
func suggestion(d api.RunDetail) string {
	if d.Gate.Suggestion != "" {
		return d.Gate.Suggestion
	}
	return "name one"
}

// prompt reads a line. The end of the input is an empty line; an interrupt
// ends the wait.
func (sh *shell) prompt(ctx context.Context, question string) (string, error) {
	line, err := sh.answer(ctx, question)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return line, err
}

// answer reads a line, or io.EOF where there is no more. What was typed before
// the question counts for nothing.
func (sh *shell) answer(ctx context.Context, question string) (string, error) {
	if sh.Console.Discard != nil {
		if err := sh.Console.Discard(); err != nil {
			return "", fmt.Errorf("read from the terminal: %w", err)
		}
	}
	sh.printf("%s", question)
	type answer struct {
		line string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		line, err := readLine(sh.Console.In)
		answers <- answer{line, err}
	}()
	select {
	case a := <-answers:
		if errors.Is(a.err, io.EOF) {
			sh.printf("\n")
		}
		return strings.TrimSpace(a.line), a.err
	case <-ctx.Done():
		sh.printf("\n")
		return "", context.Cause(ctx)
	}
}

// readLine reads byte by byte, so that what follows the line is left for the
// next question.
func readLine(r io.Reader) (string, error) {
	var line []byte
	one := make([]byte, 1)
	for {
		n, err := r.Read(one)
		if n == 1 && one[0] == '\n' {
			return string(line), nil
		}
		line = append(line, one[:n]...)
		if err != nil {
			return string(line), err
		}
	}
}

// confirm asks a question that only an explicit yes answers.
func (sh *shell) confirm(ctx context.Context, question string) (bool, error) {
	line, err := sh.prompt(ctx, question+" [y/N] ")
	if err != nil {
		return false, err
	}
	line = strings.ToLower(line)
	return line == "y" || line == "yes", nil
}
