package api

import (
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// WithoutFolders prepares a request for an engine at another machine, which does
// not know the folders of this one. It leaves the folder out of a request that names
// its project, and refuses with CodeInvalid one that means the project of a folder.
func WithoutFolders(in any, engine string) error {
	dir, what, offer := "", "project", core.Choice{Verb: core.VerbProjects}
	switch in := in.(type) {
	case *RunQuery:
		dir, what, offer = in.Dir, "run", core.Choice{Verb: core.VerbRuns}
	case *ProjectQuery:
		dir = in.Dir
	case *LimitsQuery:
		in.Dir = ""
	case *MessageQuery:
		in.Dir = ""
		dir = in.folder()
	case *ConversationQuery:
		in.Dir = ""
		dir = in.folder()
	case *sent[OpenConversation]:
		in.Body.Dir = ""
		dir = in.Body.folder()
	case *sent[NameConversation]:
		in.Body.Dir = ""
		dir = in.Body.folder()
	case *sent[Speak]:
		in.Body.Dir = ""
		if in.Body.Start != nil {
			start := *in.Body.Start
			start.Dir, in.Body.Start = "", &start
		}
		dir, offer = folderOf(in.Body.Project, ""), core.Choice{Verb: core.VerbSay, Project: "PROJECT"}
	case *sent[StartRun]:
		in.Body.Dir = ""
		dir, offer = in.Body.folder(), core.Choice{Verb: core.VerbWithProject}
	case *sent[Trust]:
		in.Body.Dir = ""
		dir, offer = folderOf(in.Body.Project, ""), core.Choice{Verb: core.VerbWithProject}
	case *toRun[Swap]:
		in.Body.Dir = ""
		if strings.ContainsAny(in.Body.Playbook, "/.") {
			dir, what, offer = in.Body.Playbook, "playbook", core.Choice{Verb: core.VerbPlaybooks}
		}
	}
	if dir == "" {
		return nil
	}
	return core.Errorf(core.CodeInvalid, "the engine at %s does not know the folders of this machine: name the %s", engine, what).Offer(offer)
}
