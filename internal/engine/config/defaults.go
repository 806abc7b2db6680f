package config

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"

	"github.com/research-council/research-council/internal/agent/kinds"
)

// defaults is the configuration that ships but for what belongs to one kind of
// seat, which stands in that kind's room.
//
//go:embed default.yaml
var defaults string

// Defaults is the configuration that ships, with its comments.
func Defaults() []byte {
	var names []string
	var programs strings.Builder
	for _, k := range kinds.CommandLines() {
		names = append(names, k.Name)
		fmt.Fprintf(&programs, "\n  %s:%s", k.Name, indented(k.Defaults, "    "))
	}
	return []byte(strings.NewReplacer(
		"\nseats: []", "\nseats: ["+strings.Join(names, ", ")+"]",
		"\nkinds: {}", "\nkinds:"+programs.String(),
		"\nchat: {}", "\nchat:"+indented(kinds.Of(chat).Defaults, "  "),
	).Replace(defaults))
}

// indented is a text further to the right, each line behind a line feed.
func indented(text []byte, by string) string {
	var b strings.Builder
	for line := range bytes.Lines(bytes.TrimSpace(text)) {
		b.WriteString("\n" + by + strings.TrimRight(string(line), "\n"))
	}
	return b.String()
}
