package wording

import (
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// describeProject says what happened to a project.
func describeProject(body core.Body) (what, detail string) {
	switch b := body.(type) {
	case core.ProjectNamed:
		return "project named", b.Name
	case core.PlaybookChosen:
		return "playbook chosen", b.Playbook
	case core.ProjectPaused:
		return "project paused", b.Reason
	case core.ProjectResumed:
		return "project resumed", ""
	case core.ProjectArchived:
		return "project archived", b.Reason
	case core.ProjectErased:
		return "project erased", b.Reason
	case core.EpicQueued:
		return "epic queued", Colon(b.Epic.ID, b.Epic.Title)
	case core.EpicTaken:
		return "epic begun", fmt.Sprintf("%s as run %s", b.Epic, Short(b.Run))
	case core.EpicPostponed:
		return "epic postponed", Colon(b.Epic, b.Reason)
	case core.EpicRefused:
		return "epic refused", Colon(b.Epic, b.Reason)
	case core.EpicRequeued:
		return "epic queued again", b.Epic
	case core.EpicDropped:
		return "epic dropped", Colon(b.Epic, b.Reason)
	case core.ConversationOpened:
		return "conversation opened", Colon(b.ID, b.Name)
	case core.ConversationNamed:
		return "conversation named", Colon(b.ID, b.Name)
	default:
		return string(core.TypeOf(body)), ""
	}
}
