package hook

import (
	"slices"
	"strings"
)

// PermitAnswer answers a PermissionRequest of Claude Code in the person's place. To
// leave it to the person is to say nothing.
func PermitAnswer() []byte {
	return []byte(`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}` + "\n")
}

// IsDeskTool reports whether a tool is one of the plugin's desk.
func IsDeskTool(name string) bool {
	return strings.HasPrefix(name, "mcp__plugin_research-council_desk__")
}

// CampaignFolderPrefix begins the name of the folder, from the project, that holds what people
// read of a campaign; its slug follows.
const CampaignFolderPrefix = "docs/research-"

// ParseCampaignCommand reports whether a shell command is one by which the session of
// a campaign asks for its next iteration or records one, and nothing beside it:
// `council campaign begin` as it stands, or a verb that records with flags that
// only say what. Which campaign, which project and which limits is never said
// there. The files it reads are for the caller to judge. The program is called
// council, or by its path.
func ParseCampaignCommand(command, council string) (files []string, ok bool) {
	line, ok := ParseShellLine(command)
	if !ok || !callsCouncil(command, council) || len(line.Words) < 3 || line.Words[1] != "campaign" {
		return nil, false
	}
	if line.Words[2] == "begin" {
		return nil, len(line.Words) == 3 && line.File == "" && line.Text == "" && !strings.ContainsAny(command, "<\n")
	}
	files, ok = parseRecording(line.Words[2:])
	if line.File != "" {
		files = append(files, line.File)
	}
	return files, ok
}

// callsCouncil reports whether a command begins with the program's own name, spelled
// as a person would, and its command for campaigns.
func callsCouncil(command, council string) bool {
	command = strings.TrimLeft(command, " \t")
	return slices.ContainsFunc([]string{"council", council, "'" + council + "'", `"` + council + `"`}, func(name string) bool {
		return strings.HasPrefix(command, name+" campaign ")
	})
}

// recordVerb is a verb that records.
type recordVerb struct {
	words      []string
	valueFlags []string // flags that say what, each with a value
	fileFlags  []string // flags that name a file to read; - is standard input
	subject    bool     // an argument names a feature or an objection
}

func recordVerbs() []recordVerb {
	result := []string{"--summary", "--files", "--tests"}
	return []recordVerb{
		{words: []string{"record"}, valueFlags: []string{"--question", "--answered", "--by", "--section"}, fileFlags: []string{"--claims", "--file", "--feature-list"}},
		{words: []string{"feature", "pass"}, valueFlags: result, subject: true},
		{words: []string{"feature", "fail"}, valueFlags: append(result, "--cause"), subject: true},
		{words: []string{"blocker", "add"}, valueFlags: []string{"--text", "--aspect", "--severity", "--evidence", "--resolution"}},
		{words: []string{"blocker", "resolve"}, valueFlags: []string{"--how", "--evidence"}, subject: true},
		{words: []string{"end"}, valueFlags: []string{"--summary"}, fileFlags: []string{"--file"}},
	}
}

// parseRecording reads the words behind `council campaign`, and gives the files they
// name.
func parseRecording(words []string) (files []string, ok bool) {
	for _, v := range recordVerbs() {
		if n := len(v.words); len(words) >= n && slices.Equal(words[:n], v.words) {
			return v.filesRead(words[n:])
		}
	}
	return nil, false
}

// filesRead are what the arguments of a verb have it read. A word that is neither
// one of its flags nor its subject gives false.
func (v recordVerb) filesRead(args []string) (files []string, ok bool) {
	subject := v.subject
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		if !strings.HasPrefix(word, "-") {
			if !subject {
				return nil, false
			}
			subject = false
			continue
		}
		flag, value, inside := strings.Cut(word, "=")
		if !inside {
			if len(args) == 0 {
				return nil, false
			}
			value, args = args[0], args[1:]
		}
		switch {
		case slices.Contains(v.fileFlags, flag):
			if value != "-" {
				files = append(files, value)
			}
		case !slices.Contains(v.valueFlags, flag):
			return nil, false
		}
	}
	return files, true
}
