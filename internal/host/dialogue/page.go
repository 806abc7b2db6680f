// Package dialogue is what a run that waits asks of a person, and how they say it:
// the pages they read, the file of answers they fill in, and the questions at a
// terminal. What is shown comes from models, and is cleaned before it is. Only a
// person confirms a brief.
package dialogue

import (
	"fmt"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/product"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/staged"
)

// Page tells a person what a run waits for, and how to go on, in lines of at
// most width cells.
func Page(project string, r flow.Run, width int) (string, error) {
	f, err := workspace.Open(project, r.Setup.ID)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if product.WorkflowOf(r.Setup).Asks == nil {
		return "Paused: " + plain.Line(r.Judged.Reason, 4000) + "\n", nil
	}
	if council.AsksToEdit(r) {
		return planPage(f, r)
	}
	if staged.AsksToConfirm(r) {
		return briefPage(f, width)
	}
	return questionPage(f, width)
}

func briefPage(f *workspace.Folder, width int) (string, error) {
	var b staged.Brief
	if err := f.ReadJSON(staged.BriefFile, &b); err != nil {
		return "", err
	}
	return "The brief, made of your answers:\n\n" + view.Brief(b, width) +
		fmt.Sprintf("\nConfirm it:            council resume %s --confirm\nSay what is different: council resume %s --input %s (edited)\n", f.ID, f.ID, QuotedPath(AnswersFile(f))), nil
}

func questionPage(f *workspace.Folder, width int) (string, error) {
	var q staged.Questions
	if err := f.ReadJSON(staged.QuestionsFile, &q); err != nil {
		return "", err
	}
	file := AnswersFile(f)
	if !f.Filled(answersTemplate) {
		if err := f.Write(answersTemplate, staged.Template(q)); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d questions before the research begins:\n\n", len(q.Questions)) + view.Questions(q, width) +
		fmt.Sprintf("\nFill in %s (or a file of your own) and go on:\n  council resume %s --input %s\n", file, f.ID, QuotedPath(file)), nil
}

// QuotedPath is a path as one word of a shell.
func QuotedPath(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+,:@", r)
	}
	if strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return agent.Shell([]string{path})
}
