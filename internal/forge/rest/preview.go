package rest

import (
	"net/url"
	"strings"
)

const maxLink = 2048

// IsPreview reports a check that, by its name, has put the change up to be
// looked at, and says where.
func IsPreview(name, address string) bool {
	return strings.Contains(strings.ToLower(name), "preview") && IsLink(address)
}

// IsLink reports an address that a person may be offered to open.
func IsLink(address string) bool {
	u, err := url.Parse(address)
	return err == nil && len(address) <= maxLink && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}
