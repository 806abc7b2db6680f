package footprint

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// completions are those of shells, where a person has put them by hand. One that is as
// this release makes it is ours; one that is not may have their lines.
func (s survey) completions() {
	if s.home == "" {
		return
	}
	data, conf := filepath.Join(s.home, ".local", "share"), filepath.Join(s.home, ".config")
	if dir := s.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		data = dir
	}
	if dir := s.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		conf = dir
	}
	for shell, places := range map[string][]string{
		"bash": {filepath.Join(data, "bash-completion", "completions", "council"), filepath.Join(s.home, ".bash_completion.d", "council")},
		"zsh":  {filepath.Join(s.home, ".zfunc", "_council"), filepath.Join(s.home, ".zsh", "completions", "_council"), filepath.Join(data, "zsh", "site-functions", "_council")},
		"fish": {filepath.Join(conf, "fish", "completions", "council.fish")},
	} {
		for _, path := range places {
			s.completion(shell, path)
		}
	}
	for _, name := range []string{".bashrc", ".bash_profile", ".profile", ".zshrc", ".zprofile", ".config/fish/config.fish"} {
		s.namedIn(filepath.Join(s.home, name))
	}
}

func (s survey) completion(shell, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		return
	}
	switch made := s.Completions[shell]; {
	case made != "" && string(text) == made:
		s.add(removal("completions", path, "remove"))
	case strings.Contains(string(text), "__complete") && strings.Contains(string(text), "council"):
		s.keep(path, "it completes council, and is not as this release writes it: perhaps yours")
	}
}

// namedIn names the lines of a shell's file that call us: they would fail from now on.
func (s survey) namedIn(path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		return
	}
	for n, line := range strings.Split(string(text), "\n") {
		if strings.Contains(line, "council completion") || strings.Contains(line, "completions/council") || strings.Contains(line, "_council") {
			s.keep(fmt.Sprintf("%s:%d", path, n+1), "this line of yours calls council: "+strings.TrimSpace(line))
		}
	}
}
