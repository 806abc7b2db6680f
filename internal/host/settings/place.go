package settings

import (
	"cmp"
	"errors"
	"path/filepath"
)

// Path is where Claude Code has the settings of a person: in the folder that
// CLAUDE_CONFIG_DIR names, where it does, else below their home.
func Path(configDir, home string) (string, error) {
	if configDir == "" && home == "" {
		return "", errors.New("where Claude Code's settings are cannot be told: neither CLAUDE_CONFIG_DIR nor HOME is set")
	}
	return filepath.Abs(filepath.Join(cmp.Or(configDir, filepath.Join(home, ".claude")), "settings.json"))
}

// OfProject are the files of settings in a project, which go before a person's.
func OfProject(project string) []string {
	dir := filepath.Join(project, ".claude")
	return []string{filepath.Join(dir, "settings.local.json"), filepath.Join(dir, "settings.json")}
}
