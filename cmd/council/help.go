package main

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// help writes what a command does, with its examples, the commands below it and
// its flags; for people at a terminal what they type stands out.
func help(w io.Writer, c *cobra.Command, bright bool) error {
	h := helpText{bright: bright}
	text := c.Long
	if text == "" {
		text = c.Short
	}
	h.lines("  ", text)
	h.section("usage")
	h.lines("    ", h.typed(called(c.CommandPath()+strings.TrimPrefix(c.Use, c.Name()), c)))
	if c.Example != "" {
		h.section("examples")
		h.lines("    ", h.typed(c.Example))
	}
	commands, flags := commandsBelow(c), flagsOf(c)
	room := 0
	for _, r := range append(commands, flags...) {
		room = max(room, ansi.StringWidth(r.name)+2)
	}
	h.table("commands", commands, room)
	h.table("flags", flags, room)
	_, err := io.WriteString(w, h.String()+"\n")
	return err
}

// row is a command or a flag and what it does.
type row struct{ name, does string }

func commandsBelow(c *cobra.Command) []row {
	var list []row
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			list = append(list, row{called(sub.Use, sub), sub.Short})
		}
	}
	return list
}

// called is how a command is called, in short.
func called(line string, c *cobra.Command) string {
	if c.HasAvailableSubCommands() {
		line += " [command]"
	}
	if c.HasAvailableFlags() {
		line += " [--flags]"
	}
	return line
}

func flagsOf(c *cobra.Command) []row {
	var list []row
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name, does := "--"+f.Name, capitalized(f.Usage)
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + " " + name
		}
		switch f.DefValue {
		case "", "false", "0", "[]": // the absence of it
		default:
			does += " (" + f.DefValue + ")"
		}
		list = append(list, row{name, does})
	})
	return list
}

func capitalized(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// helpText is a help that is being written.
type helpText struct {
	strings.Builder
	bright bool
}

func (h *helpText) lines(indent, text string) {
	h.WriteString("\n")
	for line := range strings.Lines(strings.TrimSuffix(text, "\n") + "\n") {
		h.WriteString(strings.TrimRight(indent+line, " \n") + "\n")
	}
}

func (h *helpText) section(name string) {
	name = strings.ToUpper(name)
	if h.bright {
		name = "\x1b[1m" + name + "\x1b[0m"
	}
	h.WriteString("\n  " + name + "\n")
}

func (h *helpText) table(name string, rows []row, room int) {
	if len(rows) == 0 {
		return
	}
	h.section(name)
	h.WriteString("\n")
	for _, r := range rows {
		h.WriteString(strings.TrimRight("    "+h.typed(r.name)+strings.Repeat(" ", room-ansi.StringWidth(r.name))+r.does, " ") + "\n")
	}
}

// typed marks what a person types, line by line: what is around it may be wrapped.
func (h *helpText) typed(text string) string {
	if !h.bright {
		return text
	}
	return "\x1b[36m" + strings.ReplaceAll(text, "\n", "\x1b[0m\n\x1b[36m") + "\x1b[0m"
}
