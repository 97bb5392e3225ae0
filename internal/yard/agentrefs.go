package yard

import (
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
)

// maxRefFile bounds each file of refs that is read from an agent's repository.
const maxRefFile = 4 << 20

// agentRefs are the commits that an agent's repository points at.
type agentRefs struct {
	head   string   // commit of HEAD, "" if unknown
	others []string // tips of local branches and the stash, in a stable order, without head
}

// agentRefs reads the refs of the agent's repository as plain files: git would obey the configuration there. A ref that
// cannot be read does not exist.
func (h *handInState) agentRefs() agentRefs {
	root, err := os.OpenRoot(h.spec.Dir)
	if err != nil {
		h.note("the workspace cannot be opened: %v", err)
		return agentRefs{}
	}
	defer func() { _ = root.Close() }() // nothing was written through it
	info, err := root.Lstat(".git")
	if err != nil || !info.IsDir() {
		h.note("the workspace's repository was removed or replaced; the files were committed on the base, without the agent's own commits")
		return agentRefs{}
	}
	refs := packedRefs(root)
	looseRefs(root, "refs/heads", refs)
	looseRefs(root, "refs/stash", refs)
	found := agentRefs{head: headOf(root, refs)}
	if found.head == "" {
		h.note("HEAD of the workspace points at nothing; the files were committed on the base")
	}
	seen := map[string]bool{found.head: true}
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		wanted := name == "refs/stash" || strings.HasPrefix(name, "refs/heads/")
		if wanted && !seen[refs[name]] {
			seen[refs[name]] = true
			found.others = append(found.others, refs[name])
		}
	}
	return found
}

func headOf(root *os.Root, refs map[string]string) string {
	content := strings.TrimSpace(readRegular(root, ".git/HEAD"))
	if isHash(content) {
		return content
	}
	name, ok := strings.CutPrefix(content, "ref:")
	if !ok {
		return ""
	}
	name = strings.TrimSpace(name)
	if strings.HasPrefix(name, "refs/") && path.Clean(name) == name {
		looseRefs(root, name, refs)
	}
	return refs[name]
}

func packedRefs(root *os.Root) map[string]string {
	refs := map[string]string{}
	for line := range strings.Lines(readRegular(root, ".git/packed-refs")) {
		hash, name, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && isHash(hash) {
			refs[name] = hash
		}
	}
	return refs
}

// looseRefs adds the ref, or all refs below the folder, that name stands for.
func looseRefs(root *os.Root, name string, refs map[string]string) {
	top := path.Join(".git", name)
	_ = fs.WalkDir(root.FS(), top, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir // an unreadable ref does not exist
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		if hash := strings.TrimSpace(readRegular(root, file)); isHash(hash) {
			refs[strings.TrimPrefix(file, ".git/")] = hash
		}
		return nil
	})
}

// readRegular returns the content of a regular file, "" for anything else. It never waits on a pipe.
func readRegular(root *os.Root, name string) string {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // only read from
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	content, err := io.ReadAll(io.LimitReader(f, maxRefFile))
	if err != nil {
		return ""
	}
	return string(content)
}
