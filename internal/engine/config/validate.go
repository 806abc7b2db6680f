package config

import (
	"net/url"
	"strings"
)

const (
	variableSigns = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
	topicSigns    = variableSigns + "-"
)

// variable reports whether a name is one of a variable, or empty.
func variable(name string) bool {
	return strings.Trim(name, variableSigns) == "" && (name == "" || name[0] < '0' || name[0] > '9')
}

// header reports whether a name can be a header's, and the other one that of
// the variable which holds its value.
func header(name, of string) bool {
	return name != "" && strings.Trim(name, topicSigns) == "" && of != "" && variable(of)
}

// web is an http or https address, nil when it is none.
func web(address string) *url.URL {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil
	}
	return u
}

// isPlainAddress reports whether an address is nothing but a place: no user or password,
// no query, no fragment.
func isPlainAddress(u *url.URL) bool { return u.User == nil && u.RawQuery == "" && u.Fragment == "" }
