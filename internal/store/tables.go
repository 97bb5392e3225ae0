package store

import "slices"

// Names of the tables that others than stores look into.
const (
	TableSnapshots = "snapshots"
	TableEvents    = "events"
	TableHeads     = "heads"
	TableHints     = "wakes"
	TableSlots     = "slots"
	TablePools     = "slot_pools"
	TableDocuments = "documents"
	TableVersions  = "document_versions"
	TableRuns      = "runs"
	TableTasks     = "tasks"
	TableMessages  = "messages"
	TableProjects  = "projects"
)

// SchemaKind is the kind of documents that belong to a database rather than to what it holds. They are not copied.
const SchemaKind = "schema"

// Tables are what a store holds, in the order in which it is copied. Columns are called as stores call them. Totals of a project
// are missing: stores derive them from its runs and tasks, which is why projects come last.
func Tables() []*Table { return tables }

var tables = []*Table{
	// Before the events, so that whoever reads them all knows which a snapshot is of.
	{TableSnapshots, 1, slices.Concat(texts("stream"), integers("seq"), texts("hash"), moments("at"), integers("format"), blobs("state"))},
	// position counts all events in the order in which they were committed.
	{TableEvents, 1, slices.Concat(integers("position"), texts("stream"), integers("seq"), texts("id", "type"), integers("v"), moments("at"),
		texts("actor", "cause", "prev_hash", "hash"), blobs("body"))},
	// Where each stream ends. A store may derive it from the events.
	{TableHeads, 1, slices.Concat(texts("stream"), integers("seq", "position"), texts("hash"), moments("at"))},
	{TableHints, 1, slices.Concat(texts("stream", "project"), integers("wake_seq", "done_seq"), moments("woken_at"), optional(moments("due_at")), integers("due_seq"))},
	{"claims", 3, slices.Concat(texts("kind", "key", "holder"), integers("capacity"))},
	{"waiters", 3, texts("kind", "key", "stream")},
	{TableSlots, 1, slices.Concat(integers("seq"), texts("holder", "stream", "project", "pool"), moments("since"), flags("held"), texts("filed"), integers("room"))},
	{TablePools, 2, slices.Concat(texts("holder", "pool", "project"), flags("held"), integers("capacity"))},
	{"engines", 1, slices.Concat(texts("id", "host", "place"), moments("lease_until"))},
	{"owners", 1, slices.Concat(texts("project", "engine"), integers("fence"), flags("held"))},
	{TableDocuments, 2, slices.Concat(texts("kind", "key"), integers("version"), moments("at"), blobs("data"))},
	// One record: the newest version that a document ever had.
	{TableVersions, 1, integers("last")},
	{"verdicts", 1, slices.Concat(texts("key"), blobs("verdict"), moments("at"))},
	{TableRuns, 1, slices.Concat(texts("id", "alias", "project_id", "title", "goal", "issue", "status", "reason", "stage", "branch", "base", "url", "isolation"),
		integers("attempts", "unpriced", "tokens", "held_tokens", "worked"), amounts("cost_usd", "held_usd"), flags("limited"),
		moments("started_at", "updated_at"), optional(moments("ended_at")))},
	{TableTasks, 2, slices.Concat(texts("run_id", "task", "addressee", "project_id", "task_type", "status", "prompt", "repo_url", "branch", "triggered_by",
		"created_by", "worker_pod"), moments("created_at"), optional(moments("started_at", "completed_at")), optional(blobs("result")))},
	{"conversations", 1, slices.Concat(texts("id", "project_id", "name", "created_by"), moments("created_at"))},
	{TableMessages, 2, slices.Concat(texts("run_id"), integers("seq"), texts("event", "project_id", "conversation_id", "kind", "voice", "who", "text",
		"question_id", "default_text"), optional(moments("due_at")), moments("at"))},
	{TableProjects, 1, slices.Concat(texts("id", "name", "repo_url", "default_branch", "integration_branch", "status", "current_epic", "created_by", "pr_url",
		"playbook", "paused", "run_status", "run_reason"), integers("pr_number", "queued", "refused"), moments("last_activity", "created_at"),
		optional(moments("archived_at")))},
}

func texts(names ...string) []Column    { return columns(Text, names) }
func integers(names ...string) []Column { return columns(Integer, names) }
func amounts(names ...string) []Column  { return columns(Real, names) }
func flags(names ...string) []Column    { return columns(Flag, names) }
func moments(names ...string) []Column  { return columns(Moment, names) }
func blobs(names ...string) []Column    { return columns(Bytes, names) }

func columns(kind Kind, names []string) []Column {
	all := make([]Column, len(names))
	for i, name := range names {
		all[i] = Column{Name: name, Kind: kind}
	}
	return all
}

func optional(all []Column) []Column {
	for i := range all {
		all[i].Optional = true
	}
	return all
}
