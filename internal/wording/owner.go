package wording

// Owner says which engine works on something, and with whose credentials it publishes and pays for models. Forge and model
// say where those come from; "" for nowhere. An older engine may not name the person that it runs as.
func Owner(host, person, forge, model string) []string {
	if person == "" { // it does not say
		return []string{"worked on by the engine on " + host}
	}
	lines := []string{"worked on by the engine of " + person + " on " + host}
	if forge == "" {
		lines = append(lines, "publishes as git does for "+person+" there")
	} else {
		lines = append(lines, "publishes as "+person+" there: "+forge)
	}
	if model == "" {
		return append(lines, "model calls are paid by what agents find there: that engine has no credential for them")
	}
	return append(lines, "model calls are paid with "+model+" there")
}
