package hook

import (
	"slices"
	"strings"
)

// Permit answers a PermissionRequest of Claude Code in the person's place. To
// leave it to the person is to say nothing.
func Permit() []byte {
	return []byte(`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}` + "\n")
}

// DeskTool reports whether a tool is one of the plugin's desk.
func DeskTool(name string) bool {
	return strings.HasPrefix(name, "mcp__plugin_research-council_desk__")
}

// CampaignVerb reports whether a shell command is one by which the session of a
// campaign tells the program what it has done, and nothing beside it. The
// program is called council, or by its path.
func CampaignVerb(command, council string) bool {
	line, ok := ParseLine(command)
	if !ok || len(line.Words) < 2 || line.Words[0] != "council" && line.Words[0] != council || slices.ContainsFunc(line.Words, widens) {
		return false
	}
	switch words := line.Words[1:]; {
	case words[0] == "pdf":
		return true
	case words[0] != "campaign" || len(words) < 2:
		return false
	case words[1] == "begin":
		return plain(line)
	default:
		return slices.Contains([]string{"record", "feature", "blocker", "end"}, words[1])
	}
}

// widens reports whether a word asks for more than a person has allowed.
func widens(word string) bool {
	return strings.HasPrefix(word, "--skip-permissions") || strings.HasPrefix(word, "--allow")
}

// plain reports whether what a campaign is to begin with can be seen, and names
// no command that the program would run, and no rule.
func plain(line Line) bool {
	all := strings.Join(line.Words, " ") + " " + line.Text
	return line.File == "" && !slices.ContainsFunc([]string{"--test-command", "--skip-permissions", "--allow"}, func(flag string) bool {
		return strings.Contains(all, flag)
	})
}
