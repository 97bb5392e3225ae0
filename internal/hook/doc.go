// Package hook answers the question that Claude Code asks before every tool
// call of a session: may this happen? The answer comes from the session's
// snapshot and from the rules of package guard alone. The package also reads
// and writes what all hooks of the plugin have in common: the event, the
// answer, the journal. It must stay cheap to import, because the program made
// of it starts with every tool call: no engine, no network, no templates. And it
// must never let through what it could not decide; what belongs to a session
// that owns no run is left alone.
package hook
