package service

// What an engine says whose identity another one has: it goes on answering, and works on nothing.
const (
	retiredFound = "this engine works on nothing any more: another engine has begun with its identity, so one of the two state folders is a copy of the other"
	retiredNext  = "stop this engine; if both are to stay, delete the file engine.id in its state folder before you start it again, and it gets an identity of its own"
)

// Notice is what everybody has to know who uses this engine, whatever they ask it; "" if there is nothing.
func (a *Service) Notice() string {
	if !a.engine.Retired() {
		return ""
	}
	return retiredFound + "; " + retiredNext
}
