package doctor

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"
)

// statusLine looks whether Claude Code's status line is ours: by the settings that
// go before others.
func (x exam) statusLine(context.Context) []Check {
	user := filepath.Join(cmp.Or(x.env["CLAUDE_CONFIG_DIR"], filepath.Join(x.Home, ".claude")), "settings.json")
	own := filepath.Join(x.Project, ".claude")
	for _, file := range []string{filepath.Join(own, "settings.local.json"), filepath.Join(own, "settings.json"), user} {
		data, err := x.Read(file)
		if err != nil {
			continue // most have not all three
		}
		if !gjson.ValidBytes(data) {
			return []Check{{council, Note, fmt.Sprintf("whether Claude Code's status line shows runs cannot be told: %s is no JSON", file), "mend the file"}}
		}
		line := gjson.GetBytes(data, "statusLine")
		if !line.Exists() {
			continue
		}
		words := strings.Fields(line.Get("command").Str)
		for i, word := range words[:max(0, len(words)-1)] {
			if filepath.Base(strings.Trim(word, `'"`)) == "council" && words[i+1] == "statusline" {
				return []Check{okCheck(council, "Claude Code's status line shows runs (%s)", file)}
			}
		}
		return []Check{{
			council, Note, fmt.Sprintf("Claude Code's status line (%s) is another program's and shows no runs", file),
			"put `" + x.Self + " statusline --wrap '…'` there, with the command that stands there now in place of …: its lines stay above ours",
		}}
	}
	return []Check{{
		council, Note, "Claude Code's status line shows no runs",
		fmt.Sprintf(`put {"statusLine": {"type": "command", "command": "%s statusline", "refreshInterval": 5}} into %s`, x.Self, user),
	}}
}
