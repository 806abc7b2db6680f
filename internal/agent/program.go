package agent

import (
	"path/filepath"
)

// Program is the command line program a kind of seat drives, as it is looked
// for and looked at before anything is asked of it.
type Program struct {
	Tested  string   // the version the adapter was measured with
	Oldest  string   // the oldest that is expected to work: it has every flag
	Help    []string // arguments that print the flags
	Flags   []string // those the adapter uses and help shows
	Install string   // how to come by it, a command line
	Quiet   []string // variables, NAME=value, with which it is only looked at

	Native func(path, system, arch string) []string // patterns of the executable that a script wraps, by the script's path behind links; nil where there is none
	Login  func(Installation) Finding               // whose login it finds, and so who pays
	Checks func(Installation) []Finding             // what else can be wrong with it; nil for nothing
}

// Installation is a program on this machine. Of logins it is looked at whether
// they are there and never at what they hold.
type Installation struct {
	Run    func(args ...string) Output
	Getenv func(name string) string
	Exists func(path string) bool // whether a file is there
	Home   string
	System string   // as runtime.GOOS
	Root   bool     // we are the superuser
	Models []string // that are configured, each once
}

// Output is what a program has printed.
type Output struct {
	Stdout, Stderr []byte
	OK             bool // it ran, and ended with status 0
}

// Folder is a program's own folder: where a variable says, or in the home.
func (i Installation) Folder(variable, inHome string) string {
	if dir := i.Getenv(variable); dir != "" {
		return dir
	}
	return filepath.Join(i.Home, inHome)
}

// Level is how much a finding matters.
type Level string

// Levels, from good to bad.
const (
	LevelOK      Level = "ok"
	LevelNote    Level = "note"    // worth knowing
	LevelWarning Level = "warning" // something is less than it could be, mostly a seat
	LevelFailure Level = "failure" // no run can go well
)

// Finding is what a look at a program has shown.
type Finding struct {
	Level  Level
	Text   string // one line
	Remedy string // one line; "" for none
}

// KeyLogin says that the owner of the key in a variable pays.
func KeyLogin(variable string) Finding {
	return Finding{LevelOK, "login: " + variable + "; the owner of that key pays by use", ""}
}

// NoLogin says that a program has no login, and how to come by one.
func NoLogin(remedy string) Finding { return Finding{LevelWarning, "login: none", remedy} }
