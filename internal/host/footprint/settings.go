package footprint

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/research-council/research-council/internal/base/userfile"
	"github.com/research-council/research-council/internal/host/settings"
)

// statusLines are ours in the settings of Claude Code.
func (s *survey) statusLines() {
	for _, dir := range s.claudes {
		s.statusLine(filepath.Join(dir, "settings.json"))
	}
}

func (s *survey) statusLine(path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		return // most have not all
	}
	old, ours, err := settings.Command(data)
	if err == nil && !ours {
		if old != "" {
			s.keep(path, "its status line is not ours and is left as it is: "+old)
		}
		return
	}
	if err != nil && !(bytes.Contains(data, []byte("council")) && bytes.Contains(data, []byte("statusline"))) {
		return // whatever it is, it does not name us
	}
	item := Item{Kind: "status line", Path: path, What: "take our line out; what was there before is there again"}
	done, err := userfile.Change(path, true, settings.Remove)
	if err == nil {
		err = userfile.Check(path)
	}
	if err != nil {
		item.What, item.Problem = "our line stays", err.Error()
		if errors.Is(err, settings.ErrByHand) {
			item.Problem = "it was put there by hand: " + old + " (" + err.Error() + ")"
		}
		s.named += string(data)
		s.add(item)
		return
	}
	if command, _, err := settings.Command(done.After); err == nil && command != "" {
		item.What = "take our line out; the command is " + command + " again"
	}
	item.remove = func(context.Context) error {
		_, err := userfile.Change(path, false, settings.Remove)
		return err
	}
	s.add(item)
}
