package audit

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/crypto/ssh"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// maxKeyFile bounds a file of keys.
const maxKeyFile = 1 << 20

const makeKey = "make a key with ssh-keygen -t ed25519 -N '' -f FILE"

// Key is a private key.
type Key struct{ signer ssh.Signer }

// Fingerprint is how ssh-keygen -l names the key.
func (k Key) Fingerprint() string { return ssh.FingerprintSHA256(k.signer.PublicKey()) }

// ReadKey reads a private Ed25519 key: a regular file of mode 0600 or less that belongs to the
// current user, as ssh-keygen writes it, without a passphrase. No error contains any of it.
func ReadKey(path string) (Key, error) {
	data, err := readPrivate(path)
	if err != nil {
		return Key{}, err
	}
	raw, err := ssh.ParseRawPrivateKey(data)
	var locked *ssh.PassphraseMissingError
	if errors.As(err, &locked) {
		return Key{}, core.Errorf(core.CodeInvalid, "the key %s has a passphrase, which an engine cannot be asked for", path).WithHint(makeKey)
	}
	if err != nil {
		return Key{}, core.Errorf(core.CodeInvalid, "%s holds no private key that can be read", path).WithHint(makeKey)
	}
	private, is := raw.(*ed25519.PrivateKey)
	if !is {
		return Key{}, core.Errorf(core.CodeInvalid, "the key %s is no Ed25519 key", path).WithHint(makeKey)
	}
	signer, err := ssh.NewSignerFromKey(*private)
	if err != nil {
		return Key{}, core.Errorf(core.CodeInvalid, "the key %s cannot be used", path).WithHint(makeKey)
	}
	return Key{signer}, nil
}

func readPrivate(path string) ([]byte, error) {
	// A named pipe must not hold the engine up.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the key for checkpoints cannot be read", "check the setting audit.key; "+makeKey)
	}
	defer func() { _ = file.Close() }() // only read from
	info, err := file.Stat()
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the key for checkpoints cannot be read", "check "+path)
	}
	if !info.Mode().IsRegular() {
		return nil, core.Errorf(core.CodeInvalid, "the key %s is not a regular file", path).WithHint(makeKey)
	}
	if mode := info.Mode().Perm(); mode&0o177 != 0 {
		return nil, core.Errorf(core.CodeInvalid, "others may read the key %s: it has mode %04o", path, mode).WithHint("chmod 0600 %s", path)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		return nil, core.Errorf(core.CodeInvalid, "the key %s belongs to another user", path).WithHint(makeKey)
	}
	data, err := io.ReadAll(io.LimitReader(file, maxKeyFile))
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the key for checkpoints cannot be read", "check "+path)
	}
	return data, nil
}

// Hidden refuses a key that lies in a path which agents are shown.
func Hidden(key string, shown []string) error {
	at, err := filepath.EvalSymlinks(key)
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the key for checkpoints cannot be read", "check the setting audit.key; "+makeKey)
	}
	for _, dir := range shown {
		for _, name := range []string{key, at} {
			resolved, err := filepath.EvalSymlinks(dir)
			if err != nil {
				resolved = dir // it is not there, or nobody can look at it
			}
			if within(name, dir) || within(name, resolved) {
				return core.Errorf(core.CodeForbidden, "agents can read the key %s: they are shown %s", key, dir).
					WithHint("move the key elsewhere, and make a new one: it may have been read")
			}
		}
	}
	return nil
}

func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}

// Signers are the public keys whose signatures count, by fingerprint, each with the name of whose it is.
type Signers map[string]string

// SignerOf is the public half of a key.
func SignerOf(k Key, name string) Signers { return Signers{k.Fingerprint(): name} }

// ReadSigners reads a file of public keys: those that ssh-keygen writes (.pub), or its allowed_signers
// without options.
func ReadSigners(path string) (Signers, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the public keys cannot be read", "name a file of public keys, such as the .pub that ssh-keygen wrote")
	}
	signers := Signers{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, name, err := readSigner(strings.Fields(line))
		if err != nil {
			return nil, core.Errorf(core.CodeInvalid, "%s, line %d: %w", path, n, err).
				WithHint("each line is a public key as in a .pub file, or a name and a public key")
		}
		signers[ssh.FingerprintSHA256(key)] = name
	}
	if err := lines.Err(); err != nil {
		return nil, core.Wrap(core.CodeInvalid, err, "the public keys in "+path+" cannot be read", "name a file of public keys")
	}
	if len(signers) == 0 {
		return nil, core.Errorf(core.CodeInvalid, "%s has no public key", path).WithHint("name a file of public keys, such as the .pub that ssh-keygen wrote")
	}
	return signers, nil
}

// readSigner reads "ssh-ed25519 KEY [NAME]" or "NAME ssh-ed25519 KEY [COMMENT]".
func readSigner(words []string) (ssh.PublicKey, string, error) {
	name := ""
	if len(words) > 2 && words[0] != ssh.KeyAlgoED25519 {
		name, words = words[0], words[1:]
	} else if len(words) > 2 {
		name = strings.Join(words[2:], " ")
	}
	if len(words) < 2 || words[0] != ssh.KeyAlgoED25519 {
		return nil, "", fmt.Errorf("expected %s and a key", ssh.KeyAlgoED25519)
	}
	raw, err := base64.StdEncoding.DecodeString(words[1])
	if err != nil {
		return nil, "", errors.New("the key is not base64")
	}
	key, err := ssh.ParsePublicKey(raw)
	if err != nil || key.Type() != ssh.KeyAlgoED25519 {
		return nil, "", fmt.Errorf("the key is not of type %s", ssh.KeyAlgoED25519)
	}
	return key, name, nil
}
