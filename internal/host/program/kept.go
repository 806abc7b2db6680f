package program

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/research-council/research-council/internal/host/binaries"
)

// InPlace is the variable by which runs use the programs where they lie, as
// tests and who builds them do.
const InPlace = "RESEARCH_COUNCIL_IN_PLACE"

// keptPrograms are the programs that a run is worked on with: copies that
// outlive an update of the plugin, or its removal. Where there can be none a
// line says so, and the run uses these.
func (e Env) keptPrograms() binaries.Pair {
	hook, err := e.HookProgram()
	if err != nil {
		hook = hookBeside(e.Self)
	}
	here := binaries.Pair{Council: e.Self, Hook: hook}
	if err != nil || binaries.IsCopy(e.Self) || !filepath.IsAbs(e.Self) || e.Getenv(InPlace) == "1" {
		return here
	}
	dir, err := e.dataFolder()
	if err == nil {
		var kept binaries.Pair
		if kept, err = binaries.Keep(dir, here); err == nil {
			return kept
		}
	}
	if e.Stderr != nil {
		fmt.Fprintf(e.Stderr, "council: %v; the run works from %s and does not outlive its removal\n", err, e.Self)
	}
	return here
}

// Command is the path by which settings name this program: that of the launcher
// beside it, where there is one, which stays when what it starts is another.
func (e Env) Command() string {
	launcher := filepath.Join(filepath.Dir(e.Self), "council")
	if info, err := os.Stat(launcher); strings.HasPrefix(filepath.Base(e.Self), "council-") && err == nil && info.Mode().IsRegular() {
		return launcher
	}
	return e.Self
}

// dataFolder is where this program keeps what is its own and nobody else's: the
// plugin's data folder, where it is the plugin's, else the user's.
func (e Env) dataFolder() (string, error) {
	root, data := e.Getenv("CLAUDE_PLUGIN_ROOT"), e.Getenv("CLAUDE_PLUGIN_DATA")
	if filepath.IsAbs(root) && filepath.IsAbs(data) && strings.HasPrefix(e.Self, filepath.Clean(root)+string(filepath.Separator)) {
		return data, nil
	}
	return e.StateFolder()
}

// StateFolder is where what belongs to no project is kept for the user.
func (e Env) StateFolder() (string, error) {
	state := e.Getenv("XDG_STATE_HOME")
	if home := e.Getenv("HOME"); !filepath.IsAbs(state) && filepath.IsAbs(home) {
		state = filepath.Join(home, ".local", "state")
	}
	if !filepath.IsAbs(state) {
		return "", errors.New("there is no folder for the user's data: HOME is not set")
	}
	return filepath.Join(state, "research-council"), nil
}
