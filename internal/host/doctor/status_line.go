package doctor

import (
	"context"
	"fmt"

	"github.com/research-council/research-council/internal/host/settings"
)

// statusLine looks whether Claude Code's status line is ours: by the settings that
// go before others.
func (x exam) statusLine(context.Context) []Check {
	const install = "`council statusline --install` puts it there"
	user, err := settings.Path(x.env["CLAUDE_CONFIG_DIR"], x.Home)
	if err != nil {
		return nil // the seats say that there is no home
	}
	for _, file := range append(settings.OfProject(x.Project), user) {
		data, err := x.Read(file)
		if err != nil {
			continue // most have not all three
		}
		command, ours, err := settings.Command(data)
		switch {
		case err != nil:
			return []Check{newCheck(council, Note, fmt.Sprintf("whether Claude Code's status line shows runs cannot be told from %s: %v", file, err), "mend the file")}
		case ours:
			return []Check{okCheck(council, "Claude Code's status line shows runs (%s)", file)}
		case command == "":
			continue
		}
		remedy := install + ", below the lines of what stands there now"
		if file != user {
			remedy = "put `" + x.Self + " statusline --wrap '…'` there, with the command that stands there now in place of …: its lines stay above ours"
		}
		return []Check{newCheck(council, Note, fmt.Sprintf("Claude Code's status line (%s) is another program's and shows no runs", file), remedy)}
	}
	return []Check{newCheck(council, Note, "Claude Code's status line shows no runs", install)}
}
