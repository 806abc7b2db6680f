// Package proxy says through which proxy an address is reached.
//
// The configuration goes before the environment: an address of a proxy there is
// that of http and https alike, [None] is no proxy at all, and "" leaves it to
// HTTPS_PROXY, HTTP_PROXY and, where one of them is missing, ALL_PROXY, in
// either case of letters. What NO_PROXY names is reached directly, whoever named
// the proxy; so is this machine itself. A setting that cannot be read is an
// error for every address it would stand for, never a way around the proxy.
//
// No password of a proxy is told by anything but [Setting.For]. To connect, and
// to judge what lies behind a proxy, is left to others.
package proxy

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// None is the word of the configuration for no proxy.
const None = "none"

// Setting is what is set. The zero value is no proxy.
type Setting struct {
	http, https schemeProxy
	except      []string // what NO_PROXY names
	exempt      func(*url.URL) (*url.URL, error)
}

// schemeProxy is the proxy of one scheme.
type schemeProxy struct {
	named string // where it was named: a variable, or the configuration
	to    *url.URL
	fault error // it cannot be read
}

// Find reads what is set.
func Find(configured string, getenv func(string) string) Setting {
	if configured == None {
		return Setting{}
	}
	s := Setting{http: parseProxy("network: proxy", configured), https: parseProxy("network: proxy", configured)}
	if configured == "" {
		s.http = fromVariables(getenv, "HTTP_PROXY", "ALL_PROXY")
		s.https = fromVariables(getenv, "HTTPS_PROXY", "ALL_PROXY")
		if s.http.named == "HTTP_PROXY" && getenv("REQUEST_METHOD") != "" { // where a web server starts programs, a visitor can set it
			s.http.to, s.http.fault = nil, errors.New("HTTP_PROXY is not trusted beside REQUEST_METHOD, which a web server sets for its visitors")
		}
	}
	s.except = exceptionEntries(lookupVariable(getenv, "NO_PROXY"))
	const some = "http://proxy.invalid" // only whether one is used is asked
	s.exempt = (&httpproxy.Config{HTTPProxy: some, HTTPSProxy: some, NoProxy: strings.Join(s.except, ",")}).ProxyFunc()
	return s
}

// fromVariables is the proxy that the first of some variables names.
func fromVariables(getenv func(string) string, names ...string) schemeProxy {
	for _, name := range names {
		if value := lookupVariable(getenv, name); value != "" {
			return parseProxy(name, value)
		}
	}
	return schemeProxy{}
}

// lookupVariable is a variable's value, by its name in capitals or in small letters.
func lookupVariable(getenv func(string) string, name string) string {
	if v := getenv(name); v != "" {
		return v
	}
	return getenv(strings.ToLower(name))
}

func parseProxy(where, value string) schemeProxy {
	if value == "" {
		return schemeProxy{}
	}
	to, err := Parse(value)
	if err != nil {
		return schemeProxy{named: where, fault: fmt.Errorf("%s cannot be read: %w", where, err)}
	}
	return schemeProxy{named: where, to: to}
}

// errAddress never repeats what was written: a password may stand in it.
var errAddress = errors.New("it is no address of a proxy, such as http://proxy.example:3128")

// Parse reads the address of a proxy. One without a scheme is http's.
func Parse(value string) (*url.URL, error) {
	value = strings.TrimSpace(value)
	if !strings.Contains(value, "://") {
		value = "http://" + value
	}
	u, err := url.Parse(value)
	if err != nil || u.Hostname() == "" || strings.ContainsAny(u.Host, " \t") {
		return nil, errAddress
	}
	if !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) {
		return nil, fmt.Errorf("%q is none of http, https, socks5 and socks5h", u.Scheme)
	}
	return u, nil
}

// For gives the proxy by which an address is reached, with its password; nil
// for none. The error says what setting cannot be read.
func (s Setting) For(u *url.URL) (*url.URL, error) {
	w := s.https
	if u.Scheme == "http" {
		w = s.http
	}
	if w.to == nil && w.fault == nil {
		return nil, nil
	}
	if some, err := s.exempt(u); some == nil {
		return nil, err
	}
	return w.to, w.fault
}

// IsSet reports whether anything is reached through a proxy, or would be if
// what is set could be read.
func (s Setting) IsSet() bool { return s.http.named != "" || s.https.named != "" }

// Err says what of the setting cannot be read.
func (s Setting) Err() error {
	if s.https.fault != nil {
		return s.https.fault
	}
	return s.http.fault
}

// String names what is set, for people and without a password; "" for nothing.
func (s Setting) String() string {
	var parts []string
	add := func(scheme string, w schemeProxy) {
		if w.to != nil {
			parts = append(parts, fmt.Sprintf("%s through %s (%s)", scheme, withoutPassword(w.to), w.named))
		}
	}
	if s.http.to != nil && s.https.to != nil && *s.http.to == *s.https.to && s.http.named == s.https.named {
		add("http and https", s.http)
	} else {
		add("https", s.https)
		add("http", s.http)
	}
	if len(parts) > 0 && len(s.except) > 0 {
		parts = append(parts, "except "+strings.Join(s.except, ", "))
	}
	return strings.Join(parts, ", ")
}

func withoutPassword(u *url.URL) string { return u.Scheme + "://" + u.Host }

// exceptionEntries are those of NO_PROXY. An address of IPv6 may stand in brackets.
func exceptionEntries(list string) []string {
	var kept []string
	for e := range strings.SplitSeq(list, ",") {
		e = strings.TrimSpace(e)
		if ip, ok := strings.CutPrefix(e, "["); ok && strings.HasSuffix(ip, "]") {
			e = strings.TrimSuffix(ip, "]")
		}
		if e != "" {
			kept = append(kept, e)
		}
	}
	return kept
}

// InvalidExceptions are the entries of NO_PROXY that name no host, address or network, and
// so keep nothing from the proxy.
func (s Setting) InvalidExceptions() []string {
	return slices.DeleteFunc(slices.Clone(s.except), isHostOrNetwork)
}

// isHostOrNetwork reports whether an entry names a host, an address or a network, maybe
// with a port.
func isHostOrNetwork(entry string) bool {
	if _, err := netip.ParsePrefix(entry); err == nil || entry == "*" {
		return true
	}
	name := entry
	if at := strings.LastIndexByte(entry, ':'); at >= 0 && strings.Trim(entry[at+1:], "0123456789") == "" {
		if _, err := netip.ParseAddr(entry); err != nil {
			name = entry[:at]
		}
	}
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		return true
	}
	name = strings.TrimPrefix(name, "*")
	return strings.Trim(name, ".") != "" && !strings.ContainsAny(name, " \t/:*@[]")
}
