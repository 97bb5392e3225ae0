package run

import (
	"os"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// lostShown is how many lost runs are named one by one.
const lostShown = 5

// runFolders are the run folders of the state folder.
func runFolders(sh *shell.Shell) ([]string, error) {
	if sh.Server != "" {
		return nil, nil
	}
	opts, err := sh.Options()
	if err != nil {
		return nil, err
	}
	manifests, err := filepath.Glob(filepath.Join(opts.State, "runs", "*", "manifest.jsonl"))
	if err != nil {
		return nil, nil //nolint:nilerr // the folder's name is no pattern: there is nothing to compare with
	}
	var folders []string
	for _, m := range manifests {
		if info, err := os.Stat(m); err == nil && info.Size() > 0 {
			folders = append(folders, filepath.Dir(m))
		}
	}
	return folders, nil
}

// unknown are the run folders that the engine does not know.
func unknown(folders []string, runs []api.Run) []string {
	known := map[string]bool{}
	for _, r := range runs {
		known[r.ID] = true
	}
	var lost []string
	for _, f := range folders {
		if !known[filepath.Base(f)] {
			lost = append(lost, f)
		}
	}
	return lost
}

// reportLost prints how to restore runs of which only the folder is left.
func reportLost(sh *shell.Shell, folders []string) {
	if len(folders) == 0 {
		return
	}
	sh.PrintText("", "The database does not know these runs, but their folders are here. If it was lost or replaced, restore them with:")
	state := ""
	if sh.StateFlag != "" {
		state = "--state " + plain.ShellWord(sh.StateFlag) + " "
	}
	for i, f := range folders {
		if i == lostShown {
			sh.Printf("  … and %d more in %s\n", len(folders)-i, filepath.Dir(f))
			break
		}
		sh.Printf("  stellwerk resume %s%s\n", state, plain.ShellWord(f))
	}
}
