package roster

// Uses is whose credentials an engine works with.
type Uses struct {
	Person string `json:"person,omitempty"` // the account that it runs as
	Forge  string `json:"forge,omitempty"`  // the forge, and where the token for it comes from; "" for none
	Model  string `json:"model,omitempty"`  // where the credential comes from that pays for model calls; "" for nowhere
}

// Publishes says as whom an engine publishes, on a forge or by git alone.
func Publishes(u Uses, host string, forge bool) string {
	said := "publishes as " + u.Person + " on " + host
	switch {
	case !forge:
		said += ", as git does there"
	case u.Forge == "":
		said += ", which names no forge"
	default:
		said += ", " + u.Forge
	}
	return said + "; if another engine owns the project by then, with the credential of that one"
}
