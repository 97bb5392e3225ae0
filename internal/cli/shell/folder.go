package shell

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// fromFolders reads the first event of every run folder.
func fromFolders(runs string) []knownRun {
	manifests, err := filepath.Glob(filepath.Join(runs, "*", "manifest.jsonl"))
	if err != nil {
		return nil
	}
	var found []knownRun
	for _, path := range manifests {
		started, ok := firstEvent(path)
		if !ok {
			continue
		}
		k := knownRun{alias: started.Alias, title: started.Title, ended: endedFolder(filepath.Dir(path))}
		for _, p := range started.Playbook.Phases {
			k.stages = append(k.stages, p.ID)
		}
		k.attempts = transcribed(filepath.Dir(path))
		found = append(found, k)
	}
	return found
}

// transcribed are the attempts that left a transcript in a run's folder.
func transcribed(folder string) []string {
	paths, err := filepath.Glob(filepath.Join(folder, "transcripts", "*.jsonl"))
	if err != nil {
		return nil
	}
	for i, path := range paths {
		paths[i] = strings.TrimSuffix(filepath.Base(path), ".jsonl")
	}
	return paths
}

// endedFolder reports a folder that says that its run has ended.
func endedFolder(folder string) bool {
	state := readFolder(filepath.Join(folder, "workflow-state.json"))
	return state != nil && state.Status.Terminal()
}

func firstEvent(path string) (core.RunStarted, bool) {
	f, err := os.Open(path)
	if err != nil {
		return core.RunStarted{}, false
	}
	defer func() { _ = f.Close() }()
	line, err := bufio.NewReader(f).ReadBytes('\n')
	if err != nil {
		return core.RunStarted{}, false
	}
	var e core.Event
	if json.Unmarshal(line, &e) != nil {
		return core.RunStarted{}, false
	}
	body, err := core.Decode(e)
	if err != nil {
		return core.RunStarted{}, false
	}
	started, ok := body.(core.RunStarted)
	return started, ok
}

// OpenRuns lists the open runs of the repository around dir, newest first, from the
// run folders: no engine need run. It leaves out folders that it cannot read,
// because a session must begin in any case.
func OpenRuns(state, dir string) []api.Run {
	repository := yard.CommonDir(dir)
	if repository == "" {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(state, "runs", "*", "workflow-state.json"))
	if err != nil {
		return nil
	}
	var open []api.Run
	for i := len(files) - 1; i >= 0; i-- { // ids of runs ascend with time
		folder := readFolder(files[i])
		if folder == nil || folder.Status.Terminal() {
			continue
		}
		started, ok := firstEvent(filepath.Join(filepath.Dir(files[i]), "manifest.jsonl"))
		if !ok || started.Folder() != repository {
			continue
		}
		kind := started.Playbook.Kind
		if len(started.Playbook.Phases) > 0 {
			kind = playbook.KindPhases // also of a run that began before kinds were written down
		}
		open = append(open, api.Run{
			Alias: started.Alias, Title: started.Title, Issue: started.Issue, Status: folder.Status, Stage: folder.stage(),
			Session: folder.Session, Kind: kind,
		})
	}
	return open
}

// folderState is a part of workflow-state.json. The hooks of a session and
// completion read it if no engine runs that they could ask.
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
