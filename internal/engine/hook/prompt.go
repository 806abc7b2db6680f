package hook

import "strings"

// TypedText is what a person has typed at a session; false for what is none of
// theirs or is theirs to somebody else. A host submits its own messages too, as
// what an agent in the background has said, each in a tag; and a slash command
// is for whoever it names.
func (c Call) TypedText() (string, bool) {
	text := strings.TrimSpace(c.Prompt)
	if text == "" || len(text) > maxFieldBytes || tagged(text) || command(text) {
		return "", false
	}
	return text, true
}

// tagged reports whether a text begins with a tag, as <task-notification>.
func tagged(text string) bool {
	name, _, closed := strings.Cut(strings.TrimPrefix(text, "<"), ">")
	return strings.HasPrefix(text, "<") && closed && name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz-_") == ""
}

// command reports whether a text begins with a slash command, as
// /research-council:status. A path has a further slash.
func command(text string) bool {
	word, _, _ := strings.Cut(text, " ")
	word, _, _ = strings.Cut(word, "\n")
	return len(word) > 1 && word[0] == '/' && strings.Trim(word[1:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_:.") == ""
}
