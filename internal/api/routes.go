package api

import "slices"

// Routes is the table of the API: every method of Service, once.
func Routes() []Route {
	return slices.Concat(runRoutes(), steerRoutes(), documentRoutes(), projectRoutes(), conversationRoutes(), toolRoutes(),
		sessionRoutes(), engineRoutes(), libraryRoutes(), accessRoutes())
}

// What refusals say that a role is needed for, if several routes share it.
const (
	toRead  = "read"
	toSteer = "steer a run"
	toStart = "start a run"
	toLetIn = "decide who may come in"
	toHook  = "speak for an interactive session"
)

func reads(id, at, summary string, e endpoint) Route {
	return route(RoleViewer, toRead, id, at, summary, e)
}

func steers(id, at, summary string, e endpoint) Route {
	return route(RoleApprover, toSteer, id, at, summary, e)
}

func runRoutes() []Route {
	return []Route{
		limited(route(RoleApprover, toStart, "start-run", "POST /v1/runs", "Start a run", post(Service.StartRun)), startsFurther),
		// It tries commands of the repository, so it is for whoever may start the run.
		limited(route(RoleApprover, toStart, "rehearse-run", "POST /v1/rehearsals", "Show what a run would begin with", post(Service.Rehearse)), startsFurther),
		reads("look-at-start", "GET /v1/starts/{ticket}", "Ask what the preflight of a start is at", answering(lookAtStart)),
		limited(reads("list-runs", "GET /v1/runs", "List runs, newest first",
			query(listed(Service.Runs, func(l []Run) RunList { return RunList{l} }))), inFolder[RunQuery]),
		reads("get-run", "GET /v1/runs/{run}", "Look at a run", ofRun(Service.Run)),
		reads("get-run-at", "GET /v1/runs/{run}/at/{seq}", "Look at a run as it was after one of its events", answering(runAt)),
		reads("list-events", "GET /v1/runs/{run}/events", "Read a run's history", answering(listEvents)),
		reads("follow", "GET /v1/runs/{run}/follow", "Follow a run's history as it happens", following()),
		reads("read-output", "GET /v1/runs/{run}/attempts/{attempt}/output", "Read an attempt's transcript", answering(readOutput)),
		reads("read-transcript", "GET /v1/runs/{run}/attempts/{attempt}/transcript",
			"Read a piece of an attempt's transcript, the newest where none is named", answering(readTranscript)),
		reads("list-effects", "GET /v1/runs/{run}/effects", "List what agents did", answering(listEffects)),
		reads("get-outline", "GET /v1/runs/{run}/outline", "Look at a run's work, piece by piece", ofRun(Service.Outline)),
		reads("list-facts", "GET /v1/runs/{run}/facts", "Read what a run holds to be true", answering(listFacts)),
		reads("list-conflicts", "GET /v1/runs/{run}/conflicts", "Read what contradicts itself in a run",
			ofRun(listed(Service.Conflicts, wrapConflicts))),
		reads("list-run-spending", "GET /v1/runs/{run}/spending", "Ask what a run spent, attempt by attempt",
			ofRun(listed(Service.RunSpending, func(l []AttemptSpending) AttemptSpendingList { return AttemptSpendingList{l} }))),
		reads("replay", "GET /v1/runs/{run}/replay", "Derive a run again from its events", ofRun(Service.Replay)),
		reads("inbox", "GET /v1/inbox", "List what waits for a person",
			plain(all(Service.Inbox, func(l []Waiting) WaitingList { return WaitingList{l} }))),
	}
}

func steerRoutes() []Route {
	return []Route{
		steers("approve", "POST /v1/runs/{run}/approve", "Approve what waits", runWord(Service.Approve)),
		steers("feedback", "POST /v1/runs/{run}/feedback", "Send the current stage back with words", runWord(Service.Feedback)),
		steers("rollback", "POST /v1/runs/{run}/rollback", "Send the run back to a stage", runWord(Service.Rollback)),
		steers("skip", "POST /v1/runs/{run}/skip", "Pass over the current stage", runWord(Service.Skip)),
		limited(steers("retry", "POST /v1/runs/{run}/retry", "Give the current stage its attempts back", runWord(Service.Retry)), retriesFurther),
		steers("pause", "POST /v1/runs/{run}/pause", "Stop the run", runWord(Service.Pause)),
		limited(steers("resume", "POST /v1/runs/{run}/resume", "Let a paused run go on", runWord(Service.Resume)), resumesFurther),
		steers("cancel", "POST /v1/runs/{run}/cancel", "End the run", runWord(Service.Cancel)),
		steers("merge", "POST /v1/runs/{run}/merge", "Bring the pull request into its base", runWord(Service.Merge)),
		reads("get-merge", "GET /v1/runs/{run}/merge", "Ask what merging the pull request would do", ofRun(Service.Mergeable)),
		route(RoleAdmin, "choose another playbook for a project", "swap", "POST /v1/runs/{run}/swap",
			"Let another playbook drive the project", runWord(Service.Swap)),
	}
}

func documentRoutes() []Route {
	return []Route{
		reads("diff", "GET /v1/runs/{run}/diff", "Read the run's changes as a patch", writing("text/x-diff", readDiff)),
		reads("artifact", "GET /v1/runs/{run}/artifacts/{name}", "Read the newest valid artifact of a name",
			writing("application/octet-stream", readArtifact)),
		reads("prompt", "GET /v1/runs/{run}/attempts/{attempt}/prompt", "Read what an attempt was told",
			writing("text/markdown; charset=utf-8", readPrompt)),
		reads("document", "GET /v1/runs/{run}/documents/{digest}", "Read an artifact or a check's output by its digest",
			writing("application/octet-stream", readDocument)),
	}
}

func projectRoutes() []Route {
	return []Route{
		limited(reads("projects", "GET /v1/projects", "List the repositories under Stellwerk",
			query(listed(Service.Projects, func(l []Project) ProjectList { return ProjectList{l} }))), inFolder[ProjectQuery]),
		reads("get-project", "GET /v1/projects/{project}", "Look at a project", answering(getProject)),
		route(RoleAdmin, "add a project", "add-project", "POST /v1/projects", "Put a repository under Stellwerk", post(Service.AddProject)),
		steers("pause-project", "POST /v1/projects/{project}/pause", "Stand a project still", projectWord(Service.PauseProject)),
		limited(steers("resume-project", "POST /v1/projects/{project}/resume", "Let a project go on",
			projectWord(Service.ResumeProject)), resumesArchived),
		route(RoleAdmin, "archive a project", "archive-project", "POST /v1/projects/{project}/archive", "Put a project aside",
			projectWord(Service.ArchiveProject)),
		route(RoleAdmin, "erase a project", "erase-project", "POST /v1/projects/{project}/erase", "Erase the content of a project",
			projectWord(Service.EraseProject)),
		steers("drop-epic", "POST /v1/projects/{project}/drop", "Take an epic out of the queue", projectWord(Service.DropEpic)),
		steers("requeue-epic", "POST /v1/projects/{project}/requeue", "Let refused epics wait for their turn again",
			projectWord(Service.RequeueEpic)),
	}
}

func conversationRoutes() []Route {
	return []Route{
		limited(route(RoleApprover, toStart, "speak", "POST /v1/conversation", "Say something to a project's manager", post(Service.Speak)), speaksFurther),
		limited(reads("list-messages", "GET /v1/conversation", "Read what was said in a project",
			query(listed(Service.Messages, func(l []Message) MessageList { return MessageList{l} }))), inFolder[MessageQuery]),
		limited(reads("list-conversations", "GET /v1/conversations", "List the conversations of a project",
			query(listed(Service.Conversations, func(l []ConversationView) ConversationList { return ConversationList{l} }))), inFolder[ConversationQuery]),
		limited(steers("open-conversation", "POST /v1/conversations", "Begin a conversation", post(Service.OpenConversation)), sentInFolder[OpenConversation]),
		limited(steers("name-conversation", "POST /v1/conversations/name", "Give a conversation another name",
			post(Service.NameConversation)), sentInFolder[NameConversation]),
		reads("list-questions", "GET /v1/questions", "List what waits for an answer, oldest first",
			plain(all(Service.Questions, func(l []Question) QuestionList { return QuestionList{l} }))),
		steers("answer", "POST /v1/questions/{question}/answer", "Answer a question", answering(answerQuestion)),
	}
}

// toolRoutes are what attempts may call, too: see ToolHandler.
func toolRoutes() []Route {
	return []Route{
		steers("tool-delegate", "POST /v1/runs/{run}/tools/delegate", "Have work done", toolWord(Tools.Delegate)),
		steers("tool-message", "POST /v1/runs/{run}/tools/message", "Write to the conversation", toolWord(Tools.Tell)),
		steers("tool-question", "POST /v1/runs/{run}/tools/question", "Ask people something", toolWord(Tools.Ask)),
		steers("tool-plan", "POST /v1/runs/{run}/tools/plan", "Commit the plan's documents", toolWord(Tools.UpdatePlan)),
		reads("tool-show-plan", "GET /v1/runs/{run}/tools/plan", "Read the plan's documents", toolRead(Tools.Plan)),
		reads("tool-detail", "GET /v1/runs/{run}/tools/detail", "Read a document of a run in waves", answering(fetchDetail)),
		reads("tool-details", "GET /v1/runs/{run}/tools/details", "List what of a run in waves can be read", toolRead(Tools.Details)),
	}
}

// sessionRoutes are for hooks, which are started on the machine that the session's
// files are on: no role on the network may call them.
func sessionRoutes() []Route {
	hook := func(verb, summary string, e endpoint) Route {
		return route(RoleOwner, toHook, "session-"+verb, "POST /v1/sessions/{session}/"+verb, summary, e)
	}
	return []Route{
		hook("turn", "Ask what the session is to do now", sessionWord(Service.Turn)),
		hook("lease", "Make the workspace of an agent that is about to start", sessionWord(Service.Lease)),
		hook("take", "Give an agent that has started its work", sessionWord(Service.Take)),
		hook("handin", "Tell that an agent has ended", answering(handIn)),
		hook("say", "Tell what the person in the session typed", sessionWord(Service.Say)),
		hook("begin", "Tell that the session's program has started", sessionWord(Service.Begin)),
		hook("end", "Tell that the session's program ends", answering(endSession)),
	}
}

func engineRoutes() []Route {
	return []Route{
		reads("info", "GET /v1/info", "Ask the engine about itself", plain(Service.Info)),
		reads("examine", "GET /v1/health", "Look at what runs need on the engine's machine",
			plain(all(Service.Examine, func(l []Examined) ExaminedList { return ExaminedList{l} }))),
		reads("list-engines", "GET /v1/engines", "List the engines that work on the store", plain(Service.Engines)),
		// Behind a balancer it would be any engine, so it is asked where the engine is.
		route(RoleOwner, "stop the engine", "drain", "POST /v1/drain", "Have the engine give its work to others and end", post(Service.Drain)),
		reads("position", "GET /v1/position", "Ask where the engine stands", answering(position)),
		reads("watch", "GET /v1/watch", "Be told when anything moves on", watching()),
		limited(reads("limits", "GET /v1/limits", "Ask what was used and what is left",
			query(listed(Service.Limits, func(l []Account) AccountList { return AccountList{l} }))), inFolder[LimitsQuery]),
		reads("list-spending", "GET /v1/spending", "Ask what all projects spent, day by day",
			query(listed(Service.Spending, func(l []DaySpending) SpendingList { return SpendingList{l} }))),
		route(RoleAdmin, "trust a repository", "trust", "POST /v1/trust", "Look at, or trust, what a repository would have obeyed", post(Service.Trust)),
		route(RoleAdmin, "import a run", "import", "POST /v1/import", "Rebuild a run from its folder", post(Service.Import)),
		route(RoleAdmin, "make a backup", "backup", "POST /v1/backup", "Write a backup on the engine's machine", answering(backUp)),
		route(RoleAdmin, "send a test to people", "test-notices", "POST /v1/notices/test", "Send a test in each way that people are told in",
			plain(all(Service.TestNotices, func(l []NoticeTest) NoticeTests { return NoticeTests{l} }))),
		route(RoleAdmin, "prune the state folder", "prune", "POST /v1/prune",
			"Remove from the state folder what is proved to be kept elsewhere", post(Service.Prune)),
		route(RoleAdmin, "sign the history", "sign-history", "POST /v1/audit/sign", "Sign what has happened since the newest checkpoint",
			plain(Service.SignHistory)),
		reads("export-history", "GET /v1/audit/export", "Read events and checkpoints as lines of JSON",
			writing("application/x-ndjson", exportHistory)),
	}
}

func libraryRoutes() []Route {
	return []Route{
		reads("playbooks", "GET /v1/playbooks", "List playbooks",
			query(listed(Service.Playbooks, func(l []PlaybookEntry) PlaybookList { return PlaybookList{l} }))),
		reads("playbook", "GET /v1/playbooks/{playbook}", "Read a playbook", answering(getPlaybook)),
		// It changes nothing, so it is reading.
		reads("check-playbook", "POST /v1/playbooks/check", "Say what is wrong with a playbook's text", post(Service.CheckPlaybook)),
		reads("roles", "GET /v1/roles", "List the roles that playbooks can name",
			query(listed(Service.Roles, func(l []RoleEntry) RoleList { return RoleList{l} }))),
	}
}

func accessRoutes() []Route {
	return []Route{
		route(RoleAdmin, toLetIn, "tokens", "GET /v1/tokens", "List people's tokens",
			plain(all(Service.Tokens, func(l []Token) TokenList { return TokenList{l} }))),
		route(RoleAdmin, toLetIn, "add-token", "POST /v1/tokens", "Make a token for a person", post(Service.AddToken)),
		route(RoleAdmin, toLetIn, "revoke-token", "POST /v1/tokens/{token}/revoke", "End a token and the sessions that began with it", answering(revokeToken)),
		// Everybody may: whoever signs in is the same person with the same role.
		route(RoleViewer, "sign in", "sign-in", "POST /v1/sign-in", "Make a code by which a browser can sign in once", post(Service.SignIn)),
	}
}
