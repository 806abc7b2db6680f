package local

import (
	"path"
	"strings"
)

// IsSecret reports whether a file's name says that it holds what must not be
// quoted.
func IsSecret(name string) bool {
	name = strings.ToLower(name)
	switch path.Ext(name) {
	case ".pem", ".key", ".p12", ".pfx", ".keystore", ".jks":
		return true
	}
	return name == ".env" || strings.HasPrefix(name, ".env.") || name == ".netrc" || name == ".npmrc" || strings.HasPrefix(name, "id_rsa") || strings.HasPrefix(name, "id_ed25519")
}
