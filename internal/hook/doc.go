// Package hook answers the question that Claude Code asks before every tool call of a
// session: may this happen? The answer comes from the session's snapshot and the rules
// of package guard alone. The package also reads and writes what all hooks of the
// plugin have in common: the event, the answer, the journal. It must stay cheap to
// import, because the program made of it starts with every tool call: no engine, no
// network, no templates. It never lets a call through that it could not decide on, and
// leaves sessions alone that own no run.
package hook
