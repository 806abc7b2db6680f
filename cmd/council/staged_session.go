package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"research-council/internal/driver"
	"research-council/internal/flow"
	"research-council/internal/recipe"
	"research-council/internal/request"
	"research-council/internal/status"
	"research-council/internal/view"
	"research-council/internal/workspace"
)

// beginStaged begins staged research for a session.
func beginStaged(e env, in entrance) expansion {
	if id := workspace.SessionRun(in.project, in.session); id != "" {
		return refuse(fmt.Errorf("run %s of this session is under way; wait for it, or end it with /research-council:cancel-research", id))
	}
	req, err := request.ParseStaged(in.args)
	if err != nil {
		return refuse(err)
	}
	setup, err := prepareStaged(e, in.project, req)
	if err != nil {
		return refuse(err)
	}
	if req.DryRun {
		return expansion{words: view.Plan(setup)}
	}
	setup.Session, setup.Host = in.session, hostProcess(e)
	setup.Attended = e.getenv("CLAUDE_CODE_SESSION_ATTENDED") != "0"
	f, err := driver.Begin(setup, time.Now())
	if err != nil {
		return refuse(err)
	}
	defer f.Close()
	if _, err := driver.Detach(options(e, in.project, setup.ID)); err != nil {
		return refuse(err)
	}
	return expansion{context: stagedBegun(setup, f)}
}

func stagedBegun(s flow.Setup, f *workspace.Folder) string {
	text := fmt.Sprintf("Staged research %s has started. Seats: %s. Reviewers: %s.", s.ID, view.SeatNames(s), view.PanelNames(s))
	for _, w := range s.Warnings {
		text += " Note: " + view.Clean(w) + "."
	}
	if more := unpriced(s); more != "" {
		text += " " + more
	}
	return text + fmt.Sprintf(" It works in the background and first makes ten questions for the user; this session is woken when they are there."+
		" Follow it with: council watch %s   The final report will be %s. Nothing is to be done now but to tell the user and end the turn.",
		s.ID, f.Join(recipe.FinalReport))
}

// confirm is the person's word on the brief, typed as a slash command: no
// model can type one.
func confirm(e env, in entrance) expansion {
	id, err := chosen(in)
	if err != nil {
		id, err = paused(in, err)
	}
	if err != nil {
		return refuse(err)
	}
	_, r, err := driver.Load(in.project, id)
	if err != nil {
		return refuse(err)
	}
	if !recipe.AsksToConfirm(r) || !r.Waits() {
		return refuse(fmt.Errorf("run %s shows no brief that waits for your word; /research-council:status tells where it is", id))
	}
	if err := driver.Give(options(e, in.project, id), nil, true); err != nil {
		return refuse(err)
	}
	if _, err := driver.Detach(options(e, in.project, id)); err != nil {
		return refuse(err)
	}
	return expansion{words: fmt.Sprintf("Research council: the brief of run %s is confirmed; planning begins. /research-council:status shows how far it is.", id)}
}

// paused is the only run of a project that waits for a person.
func paused(in entrance, none error) (string, error) {
	ids, err := workspace.List(in.project)
	if err != nil || in.args != "" {
		return "", errors.Join(none, err)
	}
	found := ""
	for _, id := range ids {
		st, err := readStatus(in.project, id)
		if err != nil || st.Asking == nil {
			continue
		}
		if found != "" {
			return "", errors.New("several runs wait for you; name one, as in /research-council:confirm-brief " + found)
		}
		found = id
	}
	if found == "" {
		return "", none
	}
	return found, nil
}

// pause tells the session, once for each time the run asks, what it waits for.
// Then the waiting is over: a run that waits for a person needs nobody to wait
// for it.
func (w *waiter) pause(ctx context.Context, st status.Status) (string, error) {
	told := fmt.Sprintf("%s/asked-%d", workspace.Session, st.Asking.Since.UnixNano())
	if w.folder.Has(told) || ctx.Err() != nil {
		return "", nil
	}
	if err := w.folder.Write(told, []byte(st.Asking.Reason)); err != nil {
		return "", err
	}
	_, r, err := driver.Load(w.project, w.id)
	if err != nil {
		return "", err
	}
	page, err := waiting(w.project, w.id, r)
	if err != nil {
		return "", err
	}
	return askWords(w.folder, st, page), nil
}

// askWords is what a session is woken with. What it shows is data.
func askWords(f *workspace.Folder, st status.Status, page string) string {
	file := answersFile(f)
	if st.Asking.Confirm {
		return fmt.Sprintf("Research Council: staged research %s has made this brief of the user's answers. Show it to the user word for word, and tell them: to confirm it they type /research-council:confirm-brief (only they can); "+
			"to change something they say what, you write it into their answers in %s and run: council resume %s --input %s --detach. Then end the turn.\n\n%s", st.ID, file, st.ID, file, page)
	}
	return fmt.Sprintf("Research Council: staged research %s asks the user these questions. Ask all of them, in these words, with the AskUserQuestion tool where you have it (at most four in a call), else plainly here. "+
		"Write the user's own answers, never yours, into %s in the place of the empty ones, run: council resume %s --input %s --detach, and end the turn. Where nobody is there to answer, say where the questions are and end the turn.\n\n%s", st.ID, file, st.ID, file, page)
}
