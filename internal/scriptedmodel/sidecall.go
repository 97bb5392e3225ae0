package scriptedmodel

// sideAnswer is valid where a text, and where a JSON object, is expected.
const sideAnswer = `{"title": "Scripted"}`

// sideCall reports whether a call is one of those Claude Code makes for its own
// convenience, such as naming the session or probing its quota. Unlike an agent's
// conversation they offer the model no tools and do not tell it where it works.
// They often quote the prompt, so they must not be taken for a conversation.
func sideCall(call *messagesCall, session string, r *Request) bool {
	return session != "" && len(call.Tools) == 0 && directoryIn(r.System) == ""
}
