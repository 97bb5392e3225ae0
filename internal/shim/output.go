package shim

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// Output is a file the agent left in its output folder. Name is relative, with slashes.
type Output struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Refusal is something in the output folder that does not count, and why.
type Refusal struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

type outputLimits struct{ file, total int64 }

const (
	maxOutputFiles = 1000
	maxOutputDepth = 16
	// maxOutputNames bounds the names of all files, as JSON writes them: an exit must fit into one message.
	maxOutputNames = 64 << 10
)

type collector struct {
	root     *os.Root
	limits   outputLimits
	redactor Redactor
	total    int64
	names    int
	outputs  []Output
	refusals int
	refused  []Refusal
}

// collect lists the regular files below dir with their digests, after it took secrets out of them: only the shim knows
// the values that its agent was given. It refuses links, devices, sockets and whatever is too large, and opens nothing
// outside dir.
func collect(dir string, limits outputLimits, redactor Redactor) ([]Output, []Refusal) {
	c := collector{limits: limits, redactor: redactor}
	root, err := OpenOutput(dir)
	if err != nil {
		c.refuse(".", "the output folder cannot be read: "+err.Error())
		return nil, c.refused
	}
	c.root = root
	err = fs.WalkDir(root.FS(), ".", c.visit)
	if err = errors.Join(err, root.Close()); err != nil {
		c.refuse(".", "the output folder was not read to its end: "+err.Error())
	}
	return c.outputs, c.refused
}

// OpenOutput opens an output folder. It refuses a link that leads out of the folder's place, which an agent without
// isolation can put there.
func OpenOutput(dir string) (*os.Root, error) {
	parent, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return nil, err
	}
	root, err := parent.OpenRoot(filepath.Base(dir))
	if closeErr := parent.Close(); err == nil {
		err = closeErr
	}
	return root, err
}

func (c *collector) visit(name string, entry fs.DirEntry, err error) error {
	switch {
	case err != nil:
		c.refuse(name, err.Error())
		return skipDir(entry)
	case name == ".":
		return nil
	case len(c.outputs)+len(c.refused) >= maxOutputFiles:
		c.refuse(name, fmt.Sprintf("there are more than %d files; the rest was not looked at", maxOutputFiles))
		return fs.SkipAll
	case !OutputName(name) || c.redactor.Redact(name) != name:
		c.refuse(name, "the name is too long, or has characters or content that is not allowed")
		return skipDir(entry)
	case strings.Count(name, "/") >= maxOutputDepth:
		c.refuse(name, "the folders nest too deeply")
		return skipDir(entry)
	case entry.IsDir():
		return nil
	case !entry.Type().IsRegular():
		c.refuse(name, "it is not a regular file")
		return nil
	}
	quoted, err := json.Marshal(name)
	if err == nil && c.names+len(quoted) > maxOutputNames {
		err = fmt.Errorf("the names of all files have more than %d bytes", maxOutputNames)
	}
	if err != nil {
		c.refuse(name, err.Error())
		return nil
	}
	out, err := c.digest(name)
	if err != nil {
		c.refuse(name, err.Error())
		return nil
	}
	c.total, c.names = c.total+out.Size, c.names+len(quoted)
	c.outputs = append(c.outputs, out)
	return nil
}

func skipDir(entry fs.DirEntry) error {
	if entry != nil && entry.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// maxRefusals and maxRefusedName bound what is said about refused files, because the agent chooses their number and
// names.
const (
	maxRefusals    = 50
	maxRefusedName = 200
	maxRefusedText = 400
)

func (c *collector) refuse(name, reason string) {
	c.refusals++
	if c.refusals > maxRefusals {
		c.refused = append(c.refused[:maxRefusals], Refusal{
			Name: "further files", Reason: fmt.Sprintf("%d more were not accepted", c.refusals-maxRefusals),
		})
		return
	}
	name = plain.ClipBytes(path.Clean(c.redactor.Redact(strings.ToValidUTF8(name, "\uFFFD"))), maxRefusedName)
	c.refused = append(c.refused, Refusal{Name: name, Reason: plain.ClipBytes(c.redactor.Redact(reason), maxRefusedText)})
}

// digest opens without waiting and without following a link, in case the entry has changed.
func (c *collector) digest(name string) (out Output, err error) {
	file, err := openRegular(c.root, name)
	if err != nil {
		return Output{}, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	switch {
	case err != nil:
		return Output{}, err
	case info.Size() > c.limits.file:
		return Output{}, fmt.Errorf("it has %d bytes; %d are allowed", info.Size(), c.limits.file)
	case c.total+info.Size() > c.limits.total:
		return Output{}, fmt.Errorf("the output folder has more than %d bytes", c.limits.total)
	}
	content, err := io.ReadAll(io.LimitReader(file, c.limits.file+1))
	if err != nil {
		return Output{}, err
	}
	if clean := c.redactor.Redact(string(content)); clean != string(content) {
		content = []byte(clean)
		if err := c.replace(name, content, info.Mode().Perm()); err != nil {
			return Output{}, err
		}
	}
	sum := sha256.Sum256(content)
	return Output{Name: name, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}, nil
}

// replace puts a new file in place of name. It does not write to the old one, which may have another name elsewhere.
func (c *collector) replace(name string, content []byte, mode fs.FileMode) error {
	if err := c.root.Remove(name); err != nil {
		return fmt.Errorf("a secret in it could not be removed: %w", err)
	}
	file, err := c.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("a secret in it could not be removed: %w", err)
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Sync(), file.Close())
}

// OutputName reports a name, with slashes, that a file of an output folder can have: every file system takes it.
func OutputName(name string) bool {
	const longest, whole = 255, 1024
	long := func(element string) bool { return len(element) > longest }
	return len(name) <= whole && utf8.ValidString(name) && !strings.ContainsFunc(name, unicode.IsControl) &&
		!slices.ContainsFunc(strings.Split(name, "/"), long)
}
