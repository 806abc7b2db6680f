package claude

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/project/protected"
)

// workTurns bounds the model calls of a process that works in a project, those
// of its agents not counted: code takes more of them than a report.
const workTurns = 600

// Milliseconds a shell command may take where the agent names no limit, and at
// most: test suites are slow, and nothing runs in the background.
const (
	commandTime    = "600000"
	maxCommandTime = "3600000"
)

// ownFiles are files in a project that a worker must not write, whatever else it
// may: the program's own. What later sessions of the person would obey is not
// to be written either; the driver puts back what is, whoever did it.
// Gitignore's patterns; one that names a folder holds for all below it, so that
// seats/ must be named by none.
var ownFiles = []string{
	"research/*/*.*", "research/*/sources/**", "research/*/turns/**", "research/*/inbox/**", "research/*/prompts/**",
	"research/*/published/**", "research/*/bases/**", "research/*/session/**",
	"docs/research-*/feature-list.json", "docs/research-*/*-state.md", "docs/research-*/*.tex", "docs/research-*/*.pdf",
	"docs/research-*/sources.bib", "docs/research-*/progress.txt", "docs/research-*/transcripts/**",
}

// gitChanges are git's verbs that change a repository: the program alone commits.
// They are refused even where the person's own rules allow git as a whole; the
// last stands for options before the verb, which would hide it.
var gitChanges = []string{
	"push", "commit", "reset", "checkout", "switch", "restore", "stash", "rebase", "merge", "cherry-pick", "revert", "clean",
	"branch -D", "tag", "worktree", "update-ref", "config", "-",
}

func workingDir(t agent.Turn) string {
	if t.Project != "" {
		return t.Project
	}
	return t.Dir
}

func visibleTools(t agent.Turn) string {
	list := tools
	if !t.Offline {
		list = webTools + "," + tools
	}
	switch {
	case t.Project == "":
	case t.RunsInBox():
		list += ",Agent"
	default:
		list += ",Bash,Agent"
	}
	return list
}

// boxTool is the tool by which a command runs at the desk, in a box.
const boxTool = "mcp__desk__run_command"

func turns(t agent.Turn) int {
	if t.Project != "" {
		return workTurns
	}
	return maxTurns
}

// extraFolders are folders it may read beside the one it starts in.
func extraFolders(t agent.Turn) []string {
	var list []string
	if t.Scope != "" {
		list = append(list, t.Scope)
	}
	if t.Project != "" && !filepath.IsLocal(relativeBelow(t.Project, t.Dir)) {
		list = append(list, t.Dir)
	}
	return list
}

// helpers are the agents the seat may ask, in the CLI's words.
func helpers(t agent.Turn) (string, error) {
	type helper struct {
		Description string   `json:"description"`
		Prompt      string   `json:"prompt"`
		Tools       []string `json:"tools,omitempty"`
		Model       string   `json:"model,omitempty"`
	}
	all := make(map[string]helper, len(t.Agents))
	for name, h := range t.Agents {
		if t.RunsInBox() {
			h.Tools = slices.Clone(h.Tools)
			for i, tool := range h.Tools {
				if tool == "Bash" {
					h.Tools[i] = boxTool
				}
			}
		}
		all[name] = helper(h)
	}
	data, err := json.Marshal(all)
	return string(data), err
}

// allowRules are the rules of what needs nobody's leave; everything else is
// refused. Commands that only read inside the project, git's among them, pass
// without a rule, with their options looked at: a rule would let git write
// (`--output`) and read (`--no-index`) anywhere.
func allowRules(t agent.Turn) []string {
	var rules []string
	if !t.Offline {
		rules = strings.Split(webTools, ",")
	}
	switch {
	case t.Project == "":
		rules = append(rules, "Edit(./**)")
	case t.Role == agent.Code:
		rules = append(rules, "Agent", "Edit(./**)", "Edit("+seatFolder(t)+"/**)")
	default:
		rules = append(rules, "Agent", "Edit("+seatFolder(t)+"/**)")
	}
	if len(t.Desk) > 0 {
		rules = append(rules, "mcp__desk")
	}
	return rules
}

// settingRules are the rules that stand in the settings, where no comma parts them:
// the verbs of the program, and what the person and the driver add. The program
// is called by its bare name, which needs no quotes.
func settingRules(t agent.Turn) []string {
	if t.Project == "" {
		return nil
	}
	programs := []string{"council"}
	if t.Council != "" {
		programs = append(programs, t.Council, agent.Shell([]string{t.Council}))
	}
	var rules []string
	for _, program := range programs {
		for _, verb := range recordVerbs {
			rules = append(rules, "Bash("+program+" "+verb+":*)")
		}
	}
	return append(rules, t.Allow...)
}

// recordVerbs are those by which a worker leaves its records. No others: one that
// begins campaigns would let a page it has read begin another, without checks.
var recordVerbs = []string{"campaign record", "campaign feature", "campaign blocker", "campaign end", "pdf"}

// denyRules are the rules that hold against every other: an agent that reads
// hostile pages must not rewrite its own settings, nor the count of its
// iterations, nor what the program keeps.
func denyRules(t agent.Turn) []string {
	if t.Project == "" {
		return []string{"Edit(./" + settingsFile + ")", "Edit(/" + t.State + ")"}
	}
	rules := []string{"Edit(" + seatFolder(t) + "/" + settingsFile + ")", "Edit(" + seatFolder(t) + "/" + filepath.ToSlash(relativeBelow(t.Dir, t.State)) + ")"}
	for _, pattern := range ownFiles {
		rules = append(rules, "Edit(./"+pattern+")")
	}
	for _, name := range protected.Names() {
		if named := func(path string) bool { return slices.Contains(strings.Split(path, "/"), name) }; slices.ContainsFunc(t.Named, named) {
			continue // what of it is not theirs is put back
		}
		for _, at := range []string{"./", "./**/"} {
			rules = append(rules, "Edit("+at+name+")", "Edit("+at+name+"/**)")
		}
	}
	for _, verb := range gitChanges {
		rules = append(rules, "Bash(git "+verb+"*)")
	}
	return rules
}

// seatFolder is the seat's folder as a permission rule names it: from the project
// where it lies in it, so that no sign of the project's own path is taken for a
// pattern's.
func seatFolder(t agent.Turn) string {
	if rel := relativeBelow(t.Project, t.Dir); filepath.IsLocal(rel) {
		return "./" + filepath.ToSlash(rel)
	}
	return "/" + t.Dir
}

// relativeBelow is a path as seen from a folder, "" where it cannot be.
func relativeBelow(folder, path string) string {
	rel, err := filepath.Rel(folder, path)
	if err != nil {
		return ""
	}
	return rel
}

// withProjectVariables adds what a worker in a project finds in its environment: the
// program first in the path, time for its commands, and a shell that is back in
// the project after each.
func withProjectVariables(t agent.Turn, env map[string]string) map[string]string {
	if t.Project != "" || t.Trials {
		env["CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS"] = "0" // a command at the desk is waited for
	}
	if t.Project == "" {
		return env
	}
	env["BASH_DEFAULT_TIMEOUT_MS"], env["BASH_MAX_TIMEOUT_MS"] = commandTime, maxCommandTime
	env["CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR"] = "1"
	if t.Council != "" {
		env["PATH"] = strings.TrimSuffix(filepath.Dir(t.Council)+string(filepath.ListSeparator)+t.Env["PATH"], string(filepath.ListSeparator))
	}
	return env
}
