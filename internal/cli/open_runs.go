package cli

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/hook/relay"
)

// openRuns lists the runs of the repository that a folder is in and that have
// not ended, the newest first, from the run folders: no engine need run. A
// folder that cannot be read is left out, as a session must begin in any case.
func openRuns(state, dir string) []relay.OpenRun {
	repository := commonDir(dir)
	if repository == "" {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(state, "runs", "*", "workflow-state.json"))
	if err != nil {
		return nil
	}
	var open []relay.OpenRun
	for i := len(files) - 1; i >= 0; i-- { // ids of runs ascend with time
		folder := readFolder(files[i])
		if folder == nil || folder.Status.Terminal() {
			continue
		}
		started, ok := firstEvent(filepath.Join(filepath.Dir(files[i]), "manifest.jsonl"))
		if !ok || started.Folder() != repository {
			continue
		}
		open = append(open, relay.OpenRun{
			Alias: started.Alias, Title: started.Title, Issue: started.Issue, Status: string(folder.Status), Stage: folder.stage(),
			Session: folder.Session, Phases: len(started.Playbook.Phases) > 0,
		})
	}
	return open
}

// folderState is what is needed of workflow-state.json.
type folderState struct {
	Status  core.RunStatus `json:"status"`
	Session string         `json:"ownerSessionId"`
	Current int            `json:"currentPhase"`
	Phases  map[string]struct {
		Name   string `json:"name"`
		Status string `json:"status"`
	} `json:"phases"`
}

// stage is the name of the one that is under way, or the next.
func (s *folderState) stage() string {
	for _, p := range s.Phases {
		if p.Status == "active" || p.Status == string(core.StatusAwaiting) {
			return p.Name
		}
	}
	return s.Phases[strconv.Itoa(s.Current)].Name
}

func readFolder(file string) *folderState {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	s := &folderState{}
	if json.Unmarshal(data, s) != nil {
		return nil
	}
	return s
}

// commonDir is the repository that a folder belongs to, as runs name it: the
// git folder that its worktrees share. Git is not started for it: a session
// begins with this.
func commonDir(dir string) string {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	for {
		at := filepath.Join(dir, ".git")
		info, err := os.Lstat(at)
		switch {
		case err == nil && info.IsDir():
			return at
		case err == nil:
			return sharedDir(at)
		case !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir:
			return ""
		}
		dir = filepath.Dir(dir)
	}
}

// sharedDir follows the file by which a linked worktree names its repository.
func sharedDir(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	private, found := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	if !found {
		return ""
	}
	if !filepath.IsAbs(private) {
		private = filepath.Join(filepath.Dir(file), private)
	}
	common, err := os.ReadFile(filepath.Join(private, "commondir"))
	if err != nil {
		return private // a repository whose git folder is elsewhere
	}
	shared := strings.TrimSpace(string(common))
	if !filepath.IsAbs(shared) {
		shared = filepath.Join(private, shared)
	}
	if real, err := filepath.EvalSymlinks(shared); err == nil {
		return real
	}
	return filepath.Clean(shared)
}
