package rest

import (
	"net/url"
	"strings"
)

const maxLink = 2048

// IsPreview reports a check that, by its name, deployed the change for people to
// look at, and that links to the deployment.
func IsPreview(name, address string) bool {
	return strings.Contains(strings.ToLower(name), "preview") && IsLink(address)
}

// IsLink reports an address that a person may be offered to open.
func IsLink(address string) bool {
	u, err := url.Parse(address)
	return err == nil && len(address) <= maxLink && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}
