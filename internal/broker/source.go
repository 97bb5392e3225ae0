package broker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// Source yields a credential, anew at each call. It is called before the first request and after the provider has refused
// what it yielded, never twice at once, and it may block. No error contains the credential.
type Source func(ctx context.Context) (Credential, error)

const (
	commandTimeout = 30 * time.Second
	longestValue   = 64 << 10
)

// Value is a source whose credential is known already, such as one from the environment.
func Value(c Credential) Source {
	return read(c.Kind, func(context.Context) (string, error) { return c.Value, nil })
}

// File is a source that reads a file, anew at each refresh.
func File(kind Kind, path string) Source {
	return read(kind, func(context.Context) (string, error) {
		data, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("read the credential's file: %w", err)
		}
		return string(data), nil
	})
}

// Command is a source that runs a program and takes what it prints. The program runs outside every sandbox, with the
// environment of this process, and gets no input. No error contains what it prints.
func Command(kind Kind, argv ...string) Source {
	return read(kind, func(ctx context.Context) (string, error) { return output(ctx, argv) })
}

// Keyring is a source that asks the system's keyring for the entry of the service "stellwerk" with an account's name.
func Keyring(kind Kind, account string) Source {
	if runtime.GOOS == "darwin" {
		return Command(kind, "security", "find-generic-password", "-w", "-s", "stellwerk", "-a", account)
	}
	return Command(kind, "secret-tool", "lookup", "service", "stellwerk", "account", account)
}

// read is a source that takes what text returns for a credential, and refuses what cannot be one.
func read(kind Kind, text func(context.Context) (string, error)) Source {
	return func(ctx context.Context) (Credential, error) {
		value, err := text(ctx)
		if err != nil {
			return Credential{}, err
		}
		value = strings.TrimSpace(value)
		switch {
		case value == "":
			return Credential{}, errors.New("the credential is empty")
		case len(value) > longestValue:
			return Credential{}, errors.New("the credential is too long to be one")
		case strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }):
			return Credential{}, errors.New("the credential has characters that no header can carry; give its value alone, on one line")
		}
		return Credential{Kind: kind, Value: value}, nil
	}
}

// output is what a program prints. It does not repeat the program's complaints, which may quote the credential.
func output(ctx context.Context, argv []string) (string, error) {
	if len(argv) == 0 {
		return "", errors.New("the credential's command is empty")
	}
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout = &limited{&out, longestValue}
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("the credential's command %q did not finish within %s", argv[0], commandTimeout)
	case errors.As(err, &exit):
		return "", fmt.Errorf("the credential's command %q failed (%s); run it in a terminal to see why", argv[0], exit.ProcessState)
	case err != nil:
		return "", fmt.Errorf("run the credential's command %q: %w", argv[0], err)
	}
	return out.String(), nil
}

// limited keeps the beginning of what is written, with one byte more than is valid.
type limited struct {
	to   *bytes.Buffer
	most int
}

func (l *limited) Write(p []byte) (int, error) {
	room := max(0, l.most+1-l.to.Len())
	l.to.Write(p[:min(room, len(p))])
	return len(p), nil
}
