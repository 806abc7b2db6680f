// Package agents holds the subagents: one Markdown file each, as Claude Code
// reads them from the plugin.
//
// A worker that has no plugin is handed the same texts by [All]. What is asked
// of a subagent in one iteration stands in package prompts.
package agents

import (
	"bytes"
	"embed"
	"fmt"
	"strings"

	"github.com/adrg/frontmatter"
)

//go:embed *.md
var files embed.FS

// Agent is one subagent.
type Agent struct {
	Name        string
	Description string   // when to use it
	Model       string   // an alias of the host, as "sonnet"; "inherit" for that of who asks
	Tools       []string // names of the host, or of a server for all its tools; nil for all there are
	Prompt      string
}

// front is what a file says of its subagent; further keys are the host's.
type front struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
	Model       string `yaml:"model"`
	Tools       string `yaml:"tools"`
}

// All reads every subagent, in the order of their names.
func All() ([]Agent, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("list the subagents: %w", err)
	}
	var all []Agent
	for _, e := range entries {
		a, err := read(e.Name())
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

func read(file string) (Agent, error) {
	data, err := files.ReadFile(file)
	if err != nil {
		return Agent{}, fmt.Errorf("read subagent %s: %w", file, err)
	}
	return parse(file, data)
}

// parse reads the text of a subagent's file.
func parse(file string, data []byte) (Agent, error) {
	var f front
	text, err := frontmatter.MustParse(bytes.NewReader(data), &f)
	if err != nil {
		return Agent{}, fmt.Errorf("read subagent %s: front matter: %w", file, err)
	}
	return Agent{
		Name: f.Name, Description: f.Description, Model: f.Model, Tools: split(f.Tools),
		Prompt: strings.TrimSpace(string(text)) + "\n",
	}, nil
}

func split(list string) []string {
	var names []string
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}
