package session

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/caller"
	"github.com/research-council/research-council/internal/host/dialogue"
	"github.com/research-council/research-council/internal/host/prepare"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/staged"
)

func stagedStartedText(s flow.Setup, f *workspace.Folder) string {
	text := fmt.Sprintf("Staged research %s has started. Seats: %s. Reviewers: %s.", s.ID, view.SeatNames(s), view.PanelNames(s))
	for _, w := range s.Warnings {
		text += " Note: " + plain.Terminal(w) + "."
	}
	if more := prepare.LimitNote(s); more != "" {
		text += " " + more
	}
	return text + fmt.Sprintf(" It works in the background and first makes ten questions for the user; this session is woken when they are there."+
		" Follow it with: council watch %s   The final report will be %s. Nothing is to be done now but to tell the user and end the turn.",
		s.ID, f.Join(flow.FinalReport))
}

// confirm is the person's word on the brief, typed as a slash command: no
// model can type one. The session that owns the run takes a short turn then, at
// whose end it begins to wait for the run again.
func confirm(e program.Env, in slashCommand) hookAnswer {
	if who := caller.SessionStarter(e); who != "" {
		return refusedAnswer(fmt.Errorf("only a person can confirm a brief, and this session was started by %s", who))
	}
	id, err := pickWaitingRun(in)
	if err != nil {
		return refusedAnswer(err)
	}
	r, err := supervisor.Read(in.Project, id)
	if err != nil {
		return refusedAnswer(err)
	}
	if !staged.AsksToConfirm(r) || !r.IsWaiting() {
		return refusedAnswer(fmt.Errorf("run %s shows no brief that waits for your word; /research-council:status tells where it is", id))
	}
	if in.wordsOnly && workspace.SessionRun(in.Project, in.Session) == id {
		return hookAnswer{}
	}
	if err := dialogue.Give(e.SupervisorOptions(in.Project, id), r, nil, true); err != nil {
		return refusedAnswer(err)
	}
	if _, err := supervisor.Detach(e.SupervisorOptions(in.Project, id)); err != nil {
		return refusedAnswer(err)
	}
	said := fmt.Sprintf("Research council: the brief of run %s is confirmed; planning begins. /research-council:status shows how far it is.", id)
	if workspace.SessionRun(in.Project, in.Session) == id {
		return hookAnswer{context: said + " The user has typed this. Tell them so in a sentence and end the turn; the session is woken when the run has ended."}
	}
	return hookAnswer{Words: said}
}

// pickWaitingRun is the run whose brief a session means: the one it names, its own, or
// the only one that waits for a person.
func pickWaitingRun(in slashCommand) (string, error) {
	if in.Args != "" || workspace.SessionRun(in.Project, in.Session) != "" {
		return pickSessionRun(in)
	}
	return paused(in.Project, errors.New("no run waits for your word here"))
}

// paused is the only run of a project that waits for a person.
func paused(project string, none error) (string, error) {
	ids, err := workspace.List(project)
	if err != nil {
		return "", errors.Join(none, err)
	}
	found := ""
	for _, id := range ids {
		st, err := runs.Read(project, id)
		if err != nil || st.Asking == nil {
			continue
		}
		if found != "" {
			return "", fmt.Errorf("several runs wait for you; name one of them, such as %s", found)
		}
		found = id
	}
	if found == "" {
		return "", none
	}
	return found, nil
}

// askWords is what a session is woken with. What it shows is data.
func askWords(f *workspace.Folder, st status.Status, page string) string {
	if filepath.Base(st.Asking.File) == council.EditFile {
		file := dialogue.PlanFile(f)
		return fmt.Sprintf("Research Council: run %s has split the question and waits, as the user has asked, before it spends more. Show them the questions below and ask whether to go on or what to change. "+
			"What they change, and nothing else, you change in %s (its comments say how it is read); then, on their word, run: council resume %s --input %s --detach, and end the turn. Where nobody is there to answer, say how to go on, and end the turn: the run waits.\n\n%s", st.ID, file, st.ID, dialogue.QuotedPath(file), page)
	}
	file := dialogue.AnswersFile(f)
	if st.Asking.Confirm {
		return fmt.Sprintf("Research Council: staged research %s has made a brief of the user's answers. Show it to the user word for word, and tell them: to confirm it they type /research-council:confirm-brief (only they can: no command of yours confirms it); "+
			"to change something they say what, you put that into their answers in %s and run: council resume %s --input %s --detach. Then end the turn.\n\n%s", st.ID, file, st.ID, dialogue.QuotedPath(file), page)
	}
	return fmt.Sprintf("Research Council: staged research %s asks the user these questions. Ask all of them, in these words, with the AskUserQuestion tool where you have it (at most four in a call), else plainly here. "+
		"Write the user's own answers, never yours, into %s, each in the place of its empty text, run: council resume %s --input %s --detach, and end the turn. Where nobody is there to answer, say where the questions are and how to go on, and end the turn: the run waits.\n\n%s", st.ID, file, st.ID, dialogue.QuotedPath(file), page)
}

// waitingSummary tells a session that has lost its context, in one line, what its run
// waits for.
func waitingSummary(f *workspace.Folder, st status.Status) string {
	if filepath.Base(st.Asking.File) == council.EditFile {
		return fmt.Sprintf("waits for the user's word on its planned questions (%s): show them, change what they want changed, and on their word run: council resume %s --input %s --detach.", st.Asking.File, st.ID, dialogue.QuotedPath(dialogue.PlanFile(f)))
	}
	file := dialogue.AnswersFile(f)
	if st.Asking.Confirm {
		return fmt.Sprintf("waits for the user to confirm its brief (%s): show it to them; they confirm it by typing /research-council:confirm-brief, and only they can.", st.Asking.File)
	}
	return fmt.Sprintf("waits for the user's answers to its questions (%s): ask them, write their answers into %s and run: council resume %s --input %s --detach.", st.Asking.File, file, st.ID, dialogue.QuotedPath(file))
}
