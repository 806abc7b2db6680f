package agent

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Check says why no process can be made of the turn, or nil. What it lets
// through is safe in an argument vector: every path is absolute, the report
// and the state lie inside the seat's folder, and nothing holds a NUL.
func (t Turn) Check() error {
	switch {
	case t.Program == "":
		return errors.New("the seat has no program")
	case t.MaxIterations < 1:
		return fmt.Errorf("%d iterations asked for, at least 1 is needed", t.MaxIterations)
	case t.Resume != "" && t.Session == "":
		return errors.New("no session to resume")
	case t.Session != SessionID(t.Session):
		return fmt.Errorf("%q is no session id", t.Session)
	}
	for name, path := range map[string]string{"folder": t.Dir, "report": t.Report, "state file": t.State, "hook": t.Hook} {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("the %s %q is not an absolute path", name, path)
		}
	}
	if t.Scope != "" && !filepath.IsAbs(t.Scope) {
		return fmt.Errorf("the scope %q is not an absolute path", t.Scope)
	}
	if t.Project != "" && !filepath.IsAbs(t.Project) {
		return fmt.Errorf("the project %q is not an absolute path", t.Project)
	}
	if len(t.Desk) > 0 && !filepath.IsAbs(t.Desk[0]) {
		return fmt.Errorf("the desk %q is not an absolute path", t.Desk[0])
	}
	if !t.isInside(t.Report) || !t.isInside(t.State) {
		return fmt.Errorf("report and state must lie inside %s", t.Dir)
	}
	if slices.ContainsFunc(t.allTexts(), func(s string) bool { return strings.ContainsRune(s, 0) }) {
		return errors.New("a NUL stands in a path, a name or an argument")
	}
	return nil
}

func (t Turn) isInside(path string) bool {
	rel, err := filepath.Rel(t.Dir, path)
	return err == nil && filepath.IsLocal(rel) && rel != "."
}

// allTexts are the texts that end up in arguments or in the environment.
func (t Turn) allTexts() []string {
	words := []string{t.Run, t.Seat, t.Dir, t.Report, t.State, t.Open, t.Scope, t.Session, t.Model, t.Effort, t.Program, t.Hook, t.Project, t.Council}
	words = append(append(append(append(words, t.Args...), t.Desk...), t.Allow...), append(t.Shell[:len(t.Shell):len(t.Shell)], t.Named...)...)
	for name, h := range t.Agents {
		words = append(append(words, name, h.Description, h.Prompt, h.Model), h.Tools...)
	}
	for name, value := range t.Env {
		words = append(words, name, value)
	}
	return words
}

// RunsInBox reports whether the seat's commands run at the desk, in a box. Then
// it has no shell of its own: that one reads every file of the person's.
func (t Turn) RunsInBox() bool { return len(t.Shell) > 0 && len(t.Desk) > 0 }

// LeastEffort is the effort for a CLI whose lowest level is "low".
func (t Turn) LeastEffort() string {
	if t.Effort == "minimal" {
		return "low"
	}
	return t.Effort
}

// LoopCommand is the argument vector of the seat's own loop hook, where call is the
// word the hook executable knows the loop by.
func (t Turn) LoopCommand(call string) []string {
	argv := []string{
		t.Hook, call, "--report", t.Report, "--state", t.State,
		"--max", strconv.Itoa(t.MaxIterations),
	}
	if t.Open != "" {
		argv = append(argv, "--open", t.Open)
	}
	return argv
}

// DeskNames are the variables the desk needs of the turn's environment, sorted:
// the basics, with which it finds its way through a proxy, the marks of our own, and
// what else it was said to need. It is for a CLI that hands its servers nothing they are not named.
func (t Turn) DeskNames() []string {
	names := []string{ChildVariable, "RESEARCH_COUNCIL_TURN"}
	for name := range t.Env {
		if matches(strings.Fields(basicVariables), name) || slices.Contains(t.DeskEnv, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Environment is what the turn inherits, the variables every seat finds (the
// child marker, RESEARCH_REPORT_PATH, RESEARCH_STATE_PATH and
// RESEARCH_MAX_ITERS) and what the adapter adds, sorted; the later of these
// wins.
func (t Turn) Environment(added map[string]string) []string {
	env := maps.Clone(t.Env)
	if env == nil {
		env = make(map[string]string)
	}
	env[ChildVariable] = t.Run
	env["RESEARCH_REPORT_PATH"] = t.Report
	env["RESEARCH_STATE_PATH"] = t.State
	env["RESEARCH_MAX_ITERS"] = strconv.Itoa(t.MaxIterations)
	maps.Copy(env, added)
	entries := make([]string, 0, len(env))
	for name, value := range env {
		entries = append(entries, name+"="+value)
	}
	slices.Sort(entries)
	return entries
}

// PromptText is the text of the turn: the instructions with the topic framed, or the
// prompt of a continued session, which knows the topic already.
func (t Turn) PromptText() string {
	if t.Resume != "" {
		return t.Resume
	}
	return t.Prompt + FenceTopic(t.Topic)
}
