// Package chat makes a seat of any server that speaks OpenAI's chat
// completions: OpenAI itself, Groq, Ollama, vLLM and many more.
//
// The seat's process is this program itself, which asks the server over HTTP
// (package internal/agent/chat/openai). This package says what is asked and what to make of
// what the process tells: [Adapter.Spec] lays a turn down as files, [Assignment]
// and [Material] make the conversation of them, and [Adapter.Read] judges the
// [Event]s on the process's stream.
//
// A model is given tools where its turn has a desk or folders to read: the desk's,
// three that read files and one that writes the report, none that runs anything. It
// calls them in the API's form, or in words where the server takes no calls
// ([SpokenTools]); what no longer fits into its window gives way ([Talk.Fit]). Else
// it takes part by conversation alone: what its role reads is put into the question
// as framed data, and its answer is the file the role writes. The server keeps no
// session; every answer is kept before it is told, so that no crash pays for it twice.
//
// The key is never in a file, an argument or a message of ours: the files name
// the variable that holds it.
package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/research-council/research-council/internal/agent"
)

// Adapter makes processes of the council executable itself out of turns.
type Adapter struct{}

// Names of the files a turn finds in its folder.
const (
	turnFile   = "turn.json"
	promptFile = "prompt.md"
	resumeFile = "resume.md"
	keptFile   = "answer.json"
	talkFile   = "talk.json"
)

// Assignment is a turn as its process reads it. Paths are absolute.
type Assignment struct {
	Server    agent.Server  `json:"server"`
	Model     string        `json:"model"`
	Effort    string        `json:"effort,omitempty"`
	Session   string        `json:"session"`
	Iteration int           `json:"iteration"` // iterations done before
	Deadline  time.Duration `json:"deadline"`  // in ns; 0 for none
	Prompt    string        `json:"prompt"`    // file with the first question
	Resume    string        `json:"resume,omitempty"`
	Open      string        `json:"open,omitempty"` // file with what to mend
	Inputs    []string      `json:"inputs,omitempty"`
	Report    string        `json:"report"` // file the answer goes to
	Kept      string        `json:"kept"`   // file an [Answer] is kept in

	Talk    string   `json:"talk,omitempty"`    // file a [Talk] is kept in; "" for no tools
	Desk    []string `json:"desk,omitempty"`    // argument vector of the desk; nil for none
	Folders []string `json:"folders,omitempty"` // that may be read beside the seat's own
	Records bool     `json:"records,omitempty"` // it leaves files of its own in its folder
}

// Spec is the process that asks. Its environment holds the key where the seat
// may inherit the variable.
func (Adapter) Spec(t agent.Turn) (agent.Spec, error) {
	t.Program = t.Council
	if t.Hook == "" {
		t.Hook = t.Council // it has none and needs none
	}
	if err := errors.Join(t.Check(), checkServer(t)); err != nil {
		return agent.Spec{}, fmt.Errorf("chat seat: %w", err)
	}
	file := func(name string) string { return filepath.Join(t.Dir, name) }
	a := Assignment{
		Server: t.Server, Model: t.Model, Effort: t.Effort, Session: t.Session, Iteration: t.Iteration, Deadline: t.Deadline,
		Prompt: file(promptFile), Open: t.Open, Inputs: t.Inputs, Report: t.Report, Kept: file(keptFile),
	}
	if folders := further(t); len(folders) > 0 || len(t.Desk) > 0 {
		a.Talk, a.Desk, a.Folders, a.Records = file(talkFile), t.Desk, folders, t.Project != ""
	}
	files := []agent.File{{Path: a.Prompt, Data: []byte(t.Prompt + agent.FenceTopic(t.Topic))}}
	if t.Resume != "" {
		a.Resume = file(resumeFile)
		files = append(files, agent.File{Path: a.Resume, Data: []byte(t.Resume)})
	}
	data, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return agent.Spec{}, fmt.Errorf("chat seat: %w", err)
	}
	return agent.Spec{
		Argv:  []string{t.Council, "chat", file(turnFile)},
		Env:   t.Environment(nil),
		Dir:   t.Dir,
		Files: append(files, agent.File{Path: file(turnFile), Data: append(data, '\n')}),
	}, nil
}

// further are the folders it may read beside its own.
func further(t agent.Turn) []string {
	folders := slices.DeleteFunc([]string{t.Scope, t.Project}, func(folder string) bool { return folder == "" })
	return slices.Compact(folders)
}

// checkServer says what is missing to ask a server.
func checkServer(t agent.Turn) error {
	switch {
	case t.Server.BaseURL == "":
		return errors.New("the seat has no server")
	case t.Model == "":
		return errors.New("the seat has no model")
	}
	return nil
}
