package config

import "time"

// AuditSettings say with which key the history is signed, and how often.
type AuditSettings struct {
	Key     Value[string]        // file of mode 0600 with a private key; none for unsigned history
	Every   Value[time.Duration] // zero for only by hand
	Signers Value[string]        // file of the public keys whose signatures count
}

func (a *AuditSettings) table() []setting {
	const yours = "only you decide what your signature is put under"
	return []setting{
		word("audit.key", &a.Key, absolute).onlyPersonal(yours),
		duration("audit.every", &a.Every, orZero(off, atLeast(time.Minute))).zeroShown(off).byDefault(time.Hour).onlyPersonal(yours),
		word("audit.signers", &a.Signers, absolute).onlyPersonal("it would decide whose signatures count"),
	}
}
