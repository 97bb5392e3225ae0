package service

// What an engine says after another one has started with its identity: it still answers, and works on nothing.
const (
	retiredFound = "this engine has stopped working: another engine started with the same identity, so one of the two state folders is a copy of the other"
	retiredNext  = "stop this engine; to keep both, delete the file engine.id in its state folder before you start it again, which gives it an identity of its own"
)

// Notice is a warning for every user of this engine; "" if there is none.
func (a *Service) Notice() string {
	if !a.engine.Retired() {
		return ""
	}
	return retiredFound + "; " + retiredNext
}
