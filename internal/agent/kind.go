package agent

import (
	"slices"
	"strings"
)

// A Kind is all the program knows of one kind of seat: how its turns are run
// and read, what a seat of it may see and do, what stands about it in the
// configuration, and the program it drives. Every adapter's room gives one, and
// package kinds lists them. Nothing else tells one kind from another.
type Kind struct {
	Name  string // in the configuration and in a run
	Title string // for people, as "Claude Code"; "" where the name does
	Adapter

	ChoosesSession bool // we choose the session id; otherwise the seat tells it
	HidesEnd       bool // its stream does not tell whether it came to its end
	Silent         bool // it may write nothing until it has done: its time alone bounds it
	Desk           bool // it can be given the desk
	KnowsDesk      bool // it is told of a desk that it may use, and is not asked to
	NoCommands     bool // it is lent nothing that runs a command, not even in a box
	Host           bool // the plugin lives in its sessions: it is asked first where one seat is to work alone
	Subagents      bool // in a project it has a shell of its own, and further agents
	TellsCost      bool // its stream tells money; of others the tokens are known alone
	Usage          UsageTime

	Inherits func(given map[string]string) []string // names of variables a seat may see of given, beyond the basics; one that ends in * stands for all that begin so; nil for none
	Marks    string                                 // a variable that is set in all it starts; "" for none
	Permit   func(command string) string            // the permission rule that lets it run a command line; nil where it has no rules
	Calls    func(line []byte) []Call               // what a line of its stream tells of calls of tools; nil for nothing

	Defaults []byte   // what the configuration says of it unless a person does, in YAML
	Program  *Program // the command line program it drives; nil for none of its own
}

// Runs reports whether a seat of the kind can be lent a desk that runs commands.
func (k Kind) Runs() bool { return k.Desk && !k.NoCommands }

// UsageTime says when a seat tells what it has used.
type UsageTime int

// Times of telling.
const (
	UsageLive     UsageTime = iota // while it works
	UsageAtEnd                     // with the end of a turn
	UsageOptional                  // it need not tell at all
)

// Call is the beginning or the end of one call of a tool, or both.
type Call struct {
	ID     string // foreign text
	Name   string // of the tool, foreign text; "" where it has only ended
	Ended  bool
	Failed bool
}

// basicVariables are what any program needs to find its files, its language and its
// way through a proxy. A name that ends in * stands for all that begin so.
const basicVariables = "PATH HOME USER LOGNAME SHELL TERM COLORTERM TMPDIR TZ LANG LANGUAGE LC_* XDG_* " +
	"SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS " +
	"HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy"

// Environ is what a seat may inherit of parent, which is in the form of
// os.Environ. It is an allow-list: the basics, what belongs to the seat's own
// kind, and the names in further. No seat sees another vendor's key, nor
// anything that would make a CLI take itself for a part of the session above it.
func (k Kind) Environ(parent []string, further ...string) map[string]string {
	given := make(map[string]string, len(parent))
	for _, entry := range parent {
		if name, value, ok := strings.Cut(entry, "="); ok && name != "" {
			given[name] = value
		}
	}
	allowed := strings.Fields(basicVariables)
	if k.Inherits != nil {
		allowed = append(allowed, k.Inherits(given)...)
	}
	kept := make(map[string]string)
	for name, value := range given {
		if matches(allowed, name) || slices.Contains(further, name) {
			kept[name] = value
		}
	}
	return kept
}

func matches(allowed []string, name string) bool {
	for _, a := range allowed {
		prefix, open := strings.CutSuffix(a, "*")
		if name == a || open && strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// IsSet reports whether what a switch of the environment holds turns it on.
func IsSet(value string) bool {
	switch strings.ToLower(value) {
	case "", "0", "false", "no", "off":
		return false
	}
	return true
}
