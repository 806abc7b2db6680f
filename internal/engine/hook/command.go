package hook

import "strings"

// CommandHead begins what an extension's command of ours becomes in Gemini CLI, where
// a hook sees the command's text and not what was typed.
const CommandHead = "Research council command: "

// commandArgs stands before what was typed behind the command's name, which ends
// the text.
const commandArgs = "\nArguments:"

// TypedCommand is the command of ours that a person has typed at a session of Codex,
// as $research-council:NAME, or of Gemini CLI, as /NAME: its name and what was
// typed behind that. False for anything else, as a text that speaks of one.
func (c Call) TypedCommand() (name, args string, ok bool) {
	text := strings.TrimSpace(c.Prompt)
	if rest, found := strings.CutPrefix(text, CommandHead); found {
		name, rest, _ = strings.Cut(rest, "\n")
		_, args, found = strings.Cut("\n"+rest, commandArgs)
		return strings.TrimSpace(name), strings.TrimSpace(args), found && isName(strings.TrimSpace(name))
	}
	rest, found := strings.CutPrefix(text, "$research-council:")
	if !found {
		return "", "", false
	}
	end := strings.IndexAny(rest, " \t\r\n")
	if end < 0 {
		end = len(rest)
	}
	return rest[:end], strings.TrimSpace(rest[end:]), isName(rest[:end])
}

func isName(s string) bool { return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz-") == "" }
