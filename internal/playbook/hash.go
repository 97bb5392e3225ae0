package playbook

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

// File is content to be hashed, under a name that does not depend on its folder.
type File struct {
	Name string
	Data []byte
}

// Hash identifies content that a person is asked to trust. The order of the files does not matter; names and lengths are
// part of the hash, so no two different sets share one.
func Hash(files ...File) string {
	sorted := slices.Clone(files)
	slices.SortStableFunc(sorted, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	h := sha256.New()
	for _, f := range sorted {
		writeSized(h, []byte(f.Name))
		writeSized(h, f.Data)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// writeSized cannot fail: a hash accepts every write.
func writeSized(w io.Writer, data []byte) {
	var size [8]byte
	binary.BigEndian.PutUint64(size[:], uint64(len(data)))
	_, _ = w.Write(size[:])
	_, _ = w.Write(data)
}

// hash covers the playbook and the role files it uses. Built-in roles are part of the program, which is trusted already.
func (p *parser) hash(data []byte) string {
	files := []File{{Name: "playbook", Data: data}}
	for name := range p.used {
		if r, ok := p.opts.Roles[name]; ok && !r.Builtin() {
			files = append(files, File{Name: "role/" + name, Data: []byte(r.Digest)})
		}
	}
	return Hash(files...)
}

// RepositoryFiles lists the files of a repository that a playbook uses: what a person trusts with its hash. It is empty
// for a built-in playbook with built-in roles, which needs no trust.
func RepositoryFiles(p *core.Playbook, roles role.Set) []string {
	var files []string
	if p.Origin != OriginBuiltin {
		files = append(files, p.Origin)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Roles)) {
		if r, ok := roles[name]; ok && !r.Builtin() {
			files = append(files, r.Origin)
		}
	}
	return files
}
