package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/research-council/research-council/internal/base/userfile"
	"github.com/research-council/research-council/internal/host/binaries"
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
			c := newCheck(council, Note, fmt.Sprintf("whether Claude Code's status line shows runs cannot be told from %s: %v", file, err), "mend the file")
			c.Path = file
			return []Check{c}
		case ours:
			return []Check{x.ourLine(file, user, command, data)}
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

// ourLine is what is to be said of a status line of ours.
func (x exam) ourLine(file, user, command string, data []byte) Check {
	program, wrapped := settings.Line(data)
	if program == "" {
		c := newCheck(council, Note, fmt.Sprintf("Claude Code's status line shows runs (%s), by a command that was put there by hand: %s", file, command), "")
		if first := strings.Trim(strings.Fields(command)[0], `"'`); filepath.IsAbs(first) && !x.Exists(first) {
			c.Finding, c.Path, c.Remedy = c.Finding+"; its program is gone", file, "mend it by hand"
		}
		return c
	}
	if filepath.IsAbs(program) && !x.Exists(program) {
		return x.goneLine(file, user, program)
	}
	text := fmt.Sprintf("Claude Code's status line shows runs (%s)", file)
	if wrapped != "" {
		text += ", below the lines of " + wrapped
	}
	return okCheck(council, "%s", text)
}

// goneLine is our line where its program is gone: this one takes its place, unless it
// may be gone itself tomorrow.
func (x exam) goneLine(file, user, gone string) Check {
	c := warn("statusline.gone", file, fmt.Sprintf("Claude Code's status line (%s) names a program that is gone: %s", file, gone), "`council statusline --install` puts this program there")
	if file != user {
		c.Remedy = "it is a file of the project: put " + x.Command + " there by hand"
		return c
	}
	if binaries.IsCopy(x.Self) || isTemporary(x.Command, x.env["TMPDIR"]) {
		c.Remedy = "run `council statusline --install` from a program that stays; this one does not (" + x.Command + ")"
		return c
	}
	if err := userfile.Check(file); err != nil {
		c.Remedy = err.Error() + "; put " + x.Command + " there in the place of it"
		return c
	}
	c.Fixable = true
	c.mend = func(context.Context) (string, error) {
		_, err := userfile.Change(file, false, func(data []byte) ([]byte, error) { return settings.Install(data, x.Command) })
		return fmt.Sprintf("%s: the status line names %s, which is there, and not %s", file, x.Command, gone), err
	}
	return c
}

// isTemporary reports whether a path lies where nothing stays.
func isTemporary(path, temp string) bool {
	for _, dir := range []string{temp, os.TempDir(), "/tmp", "/var/tmp"} {
		if rel, err := filepath.Rel(dir, path); dir != "" && err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// namedByStatusLine is what Claude Code's settings say: a copy that is named there is
// used.
func (x exam) namedByStatusLine() string {
	user, err := settings.Path(x.env["CLAUDE_CONFIG_DIR"], x.Home)
	if err != nil {
		return ""
	}
	data, err := x.Read(user)
	if err != nil || errors.Is(err, os.ErrNotExist) {
		return ""
	}
	return string(data)
}
