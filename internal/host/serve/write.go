package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/host/control"
	"github.com/research-council/research-council/internal/host/dialogue"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/campaignwork"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/staged"
)

// writes are what a person can do to a run from its page.
func (s *Server) writes() map[string]func(*visit) error {
	return map[string]func(*visit) error{
		"cancel":  (*visit).cancel,
		"finish":  (*visit).finish,
		"note":    (*visit).note,
		"resume":  (*visit).resume,
		"answers": (*visit).giveAnswers,
		"plan":    (*visit).givePlan,
		"confirm": (*visit).confirm,
		"accept":  func(v *visit) error { return v.decide(true) },
		"refuse":  func(v *visit) error { return v.decide(false) },
	}
}

// done leads back to the page of the run, or says there what was wrong. That
// changes nothing, and what was typed stands where it stood.
func (v *visit) done(said string, err error) error {
	if err == nil {
		v.w.Header().Set("Location", query(v.at(""), "said", said))
		v.w.WriteHeader(http.StatusSeeOther)
		return nil
	}
	code := http.StatusConflict
	switch {
	case errors.As(err, new(usage.Mistake)):
		code = http.StatusBadRequest
	case disk.IsFull(err):
		code = http.StatusInsufficientStorage
	}
	v.body.put("<p class=\"problem\" role=\"alert\"><strong>Nothing was changed:</strong> %s</p>\n", v.withoutPaths(err))
	if v.status, err = v.library.status(v.project, v.id); err != nil {
		return err
	}
	if err := showRun(v); err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.WriteHeader(code)
	v.send()
	return nil
}

func (v *visit) cancel() error {
	if err := control.CheckCancellable(v.project.Path, v.id); err != nil {
		return v.done("", err)
	}
	return v.done("cancelled", control.Cancel(v.r.Context(), v.Env, v.project.Path, v.id))
}

func (v *visit) finish() error {
	_, err := control.Finish(v.Env, v.project.Path, v.id)
	return v.done("finishes", err)
}

func (v *visit) note() error {
	r, err := supervisor.Read(v.project.Path, v.id)
	if err == nil {
		_, err = control.Note(v.Env, v.project.Path, r, unix(v.r.PostForm.Get("note")))
	}
	return v.done("noted", err)
}

// resume lets a run go on that was stopped.
func (v *visit) resume() error {
	if err := runs.CheckResumable(v.project.Path, v.id); err != nil {
		return v.done("", err)
	}
	return v.goOn("goes on", dialogue.Input{}, "")
}

// errAsksOther says that a run asks something else than the page showed.
var errAsksOther = errors.New("the run asks something else now than when this page was loaded; look at it again")

// checkSeen refuses an answer to what the run no longer asks.
func (v *visit) checkSeen() error {
	s, err := runs.Status(v.project.Path, v.id)
	switch {
	case err != nil:
		return err
	case s.Asking == nil:
		return fmt.Errorf("run %s does not wait for an answer", v.id)
	case s.Asking.Since.Format(time.RFC3339Nano) != v.r.PostForm.Get("asked"):
		return errAsksOther
	}
	return nil
}

// giveAnswers gives the run the answers of the form.
func (v *visit) giveAnswers() error {
	if err := v.checkSeen(); err != nil {
		return v.done("", err)
	}
	given := map[string]string{}
	for name, values := range v.r.PostForm {
		if id, is := strings.CutPrefix(name, "answer-"); is && len(values) == 1 && strings.TrimSpace(values[0]) != "" {
			given[id] = unix(values[0])
		}
	}
	for name, values := range v.r.PostForm { // what is written counts before what is chosen
		if id, is := strings.CutPrefix(name, "choice-"); is && len(values) == 1 && given[id] == "" {
			given[id] = values[0]
		}
	}
	data, err := json.Marshal(map[string]any{"answers": given})
	if err != nil {
		return v.done("", err)
	}
	return v.goOn("answered", dialogue.Input{Answers: "-"}, string(data))
}

// givePlan gives the run its planned questions as the person has left them.
func (v *visit) givePlan() error {
	if err := v.checkSeen(); err != nil {
		return v.done("", err)
	}
	return v.goOn("planned", dialogue.Input{Answers: "-"}, unix(v.r.PostForm.Get("plan")))
}

// confirm says yes to the brief, which only a person can.
func (v *visit) confirm() error {
	if err := v.checkSeen(); err != nil {
		return v.done("", err)
	}
	if !v.Person {
		return v.done("", fmt.Errorf("only a person can confirm a brief, and no person at a terminal has started this server: confirm it in a terminal (council resume %s --confirm), or start `council serve` in one", v.id))
	}
	return v.goOn("confirmed", dialogue.Input{Confirm: true, Person: true}, "")
}

// decide takes a person's word on a change of a campaign, which only a person can say.
func (v *visit) decide(accept bool) error {
	if !v.Person {
		return v.done("", errors.New("only a person can judge a change, and no person at a terminal has started this server: judge it in a terminal, or start `council serve` in one"))
	}
	if err := v.checkSeen(); err != nil {
		return v.done("", err)
	}
	form := v.r.PostForm
	word := campaignwork.PersonVerdict{Feature: form.Get("feature"), Accept: accept, Reason: strings.TrimSpace(unix(form.Get("reason")))}
	if word.Reason == "" {
		return v.done("", usage.Errorf("say why you accept or refuse it"))
	}
	r, err := supervisor.Read(v.project.Path, v.id)
	if err == nil {
		err = control.DecideChange(v.Env, v.project.Path, r, word)
	}
	return v.done("judged", err)
}

// goOn gives the run what the person says and has it worked on.
func (v *visit) goOn(said string, in dialogue.Input, text string) error {
	e := v.Env
	e.Stdin = strings.NewReader(text)
	if err := control.GoOn(e, v.project.Path, v.id, in); err != nil {
		return v.done("", plainly(err))
	}
	_, err := supervisor.Detach(e.SupervisorOptions(v.project.Path, v.id))
	return v.done(said, err)
}

// plainly leaves out of a mistake how the command line names what was typed.
func plainly(err error) error {
	if !errors.As(err, new(usage.Mistake)) {
		return err
	}
	return usage.Errorf("%s", strings.TrimPrefix(err.Error(), `--input "-": `))
}

// unix makes the line breaks of a form those of files.
func unix(s string) string { return plain.Text(strings.ReplaceAll(s, "\r\n", "\n")) }

// said is what has become of what the person did last.
func said(word string) string {
	return map[string]string{
		"cancelled": "The run is cancelled; nothing of it runs any more, and what was found is kept.",
		"finishes":  "The run finishes: nothing more is researched, and the report is written.",
		"noted":     "Noted: those who work find it in their next prompt.",
		"goes on":   "The run goes on.",
		"answered":  "Your answers are with the run, and it goes on.",
		"planned":   "The plan is with the run, and it goes on.",
		"confirmed": "You have confirmed the brief, and the run goes on.",
		"judged":    "Your word on the change is with the campaign; what you let go on next acts on it.",
		"begun":     "The run has begun.",
	}[word]
}

// form opens a form that writes.
func (m *markup) form(v *visit, action, class string) {
	m.put("<form method=\"post\" action=\"%s\" class=\"%s\"><input type=\"hidden\" name=\"write\" value=\"%s\">\n", v.at(action), class, v.access.write)
}

// controls are the forms by which a run is steered.
func (v *visit) controls() {
	m := &v.body
	open, unattended := v.status.IsOpen(), stateWord(v.status) == "paused"
	if !open && !v.status.Reopens {
		return
	}
	m.put("<h2>Steer</h2>\n<div class=\"steer\">\n")
	if unattended && v.status.Paused == "" || v.status.Reopens {
		m.form(v, "resume", "one")
		m.put("<button>Go on</button> <span class=\"soft\">works on it in the background</span></form>\n")
	}
	if open && v.status.Heeds {
		m.form(v, "note", "stacked")
		m.put("<label>A note to those who work <textarea name=\"note\" rows=\"3\" required maxlength=\"%d\"></textarea></label>\n<button>Leave the note</button></form>\n", supervisor.MostNote)
	}
	if open {
		m.put("<details><summary>Finish early</summary>\n")
		m.form(v, "finish", "one")
		m.put("<p>Nothing more is researched; the report is written of what there is.</p><button>Finish the run</button></form></details>\n<details><summary>Cancel</summary>\n")
		m.form(v, "cancel", "one")
		m.put("<p>The run ends for good; what was found is kept.</p><button class=\"grave\">Cancel the run</button></form></details>\n")
	}
	m.put("</div>\n")
}

// asked is what the run wants of the person, as a form.
func (v *visit) asked() {
	m := &v.body
	if text := said(v.r.URL.Query().Get("said")); text != "" {
		m.put("<p class=\"told\" role=\"status\">%s</p>\n", text)
	}
	if v.status.Asking == nil {
		return
	}
	r, err := supervisor.Read(v.project.Path, v.id)
	if err != nil || !r.IsWaiting() {
		return
	}
	m.put("<section class=\"asks\" aria-labelledby=\"asks\">\n<h2 id=\"asks\">The run waits for you</h2>\n<p>%s</p>\n", v.status.Asking.Reason)
	switch {
	case campaign.StatusOf(v.status) != nil:
		v.changeForm(r)
	case council.AsksToEdit(r):
		v.planForm(r)
	case staged.AsksToConfirm(r):
		v.briefForm(r)
	default:
		v.questionsForm(r)
	}
	m.put("</section>\n")
}

// seenAsking is the hidden field that says what the person has seen the run ask.
func (m *markup) seenAsking(v *visit) {
	m.put("<input type=\"hidden\" name=\"asked\" value=\"%s\">", v.status.Asking.Since.Format(time.RFC3339Nano))
}

func (v *visit) planForm(r flow.Run) {
	m := &v.body
	text := scope.EditText(council.PlanOf(r).Questions)
	if typed := v.r.PostForm.Get("plan"); typed != "" {
		text = unix(typed)
	}
	m.form(v, "plan", "stacked")
	m.seenAsking(v)
	m.put("<label>The planned questions <textarea name=\"plan\" rows=\"16\" spellcheck=\"true\">\n%s</textarea></label>\n<details><summary>How it is read</summary><pre tabindex=\"0\" aria-label=\"help\">%s</pre></details>\n<button>Go on with these</button></form>\n", text, scope.EditHelp)
}

// changeForm asks for a word on the change of a campaign that nobody else could judge,
// where that is what it waits for.
func (v *visit) changeForm(r flow.Run) {
	id := campaignwork.AwaitedChange(v.folder, r)
	if id == "" {
		return
	}
	m := &v.body
	if text, err := v.folder.Read(campaign.ChangeText); err == nil {
		m.put("<details open><summary>The change of %s</summary>\n<pre class=\"log\" tabindex=\"0\" aria-label=\"change\">%s</pre></details>\n", id, strings.ToValidUTF8(string(text[:min(len(text), mostChange)]), "\uFFFD"))
		if len(text) > mostChange {
			m.put("<p>It is longer than that: <code>%s</code> has all of it.</p>\n", v.folder.Join(campaign.ChangeText))
		}
	}
	if !v.Person {
		m.put("<p>Only a person can judge it, and no person at a terminal has started this server.</p>\n")
		return
	}
	m.form(v, "accept", "stacked")
	m.seenAsking(v)
	m.put("<input type=\"hidden\" name=\"feature\" value=\"%s\">\n<label>Why <textarea name=\"reason\" rows=\"3\" required>\n%s</textarea></label>\n<button>Accept the change</button> <button class=\"grave\" formaction=\"%s\">Refuse it</button></form>\n", id, unix(v.r.PostForm.Get("reason")), v.at("refuse"))
}

// mostChange bounds how much of a change is shown, in bytes.
const mostChange = 256 << 10

func (v *visit) briefForm(r flow.Run) {
	m := &v.body
	b, err := decode[staged.Brief](v.folder, staged.BriefFile)
	if err != nil {
		m.put("<p>The brief cannot be read: %s</p>\n", line(err.Error(), 300))
		return
	}
	m.put("<dl class=\"facts\">")
	m.fact("Topic", b.Topic)
	m.fact("Goal", b.Goal)
	m.fact("Reader", b.Audience)
	for _, part := range []struct {
		name string
		list []string
	}{{"Success", b.SuccessCriteria}, {"In scope", b.InScope}, {"Left out", b.OutOfScope}, {"Bounds", b.Constraints}} {
		for _, text := range part.list {
			m.fact(part.name, text)
		}
	}
	m.put("</dl>\n")
	if v.Person {
		m.form(v, "confirm", "one")
		m.seenAsking(v)
		m.put("<button>Confirm the brief</button></form>\n")
	} else {
		m.put("<p>Only a person can confirm it, and no person at a terminal has started this server: <code>council resume %s --confirm</code></p>\n", v.id)
	}
	m.put("<details><summary>Answer otherwise</summary>\n")
	v.questionsForm(r)
	m.put("</details>\n")
}

func (v *visit) questionsForm(r flow.Run) {
	m := &v.body
	q, err := decode[staged.Questions](v.folder, staged.QuestionsFile)
	if err != nil {
		m.put("<p>The questions cannot be read: %s</p>\n", line(err.Error(), 300))
		return
	}
	known := dialogue.KnownAnswers(v.folder, q, r)
	m.form(v, "answers", "stacked")
	m.seenAsking(v)
	for _, one := range q.WithIDs().Questions {
		text := known[one.ID]
		if typed, is := v.r.PostForm["answer-"+one.ID]; is && len(typed) == 1 {
			text = unix(typed[0])
		}
		m.put("<div class=\"question\"><label for=\"a-%s\">%s. %s</label>\n", one.ID, one.ID, one.Question)
		if one.Why != "" {
			m.put("<p class=\"soft\" id=\"why-%s\">%s</p>\n", one.ID, one.Why)
		}
		options(m, one, text, v.r.PostForm.Get("choice-"+one.ID))
		if slices.Contains(one.Options, text) {
			text = "" // it is chosen
		}
		m.put("<textarea id=\"a-%s\" name=\"answer-%s\" rows=\"2\">\n%s</textarea>\n</div>\n", one.ID, one.ID, text)
	}
	m.put("<button>Give these answers</button></form>\n")
}

// options writes the answers a question offers, to be chosen by a click: the one that is its
// answer already, or whose number was chosen, is.
func options(m *markup, q staged.Question, answer, chosen string) {
	if len(q.Options) == 0 {
		return
	}
	m.put("<fieldset class=\"options\"><legend>Choose one, or write an answer of your own below</legend>\n")
	for i, o := range q.Options {
		number, mark := fmt.Sprint(i+1), raw("")
		if number == chosen || chosen == "" && o == answer {
			mark = " checked"
		}
		m.put("<label><input type=\"radio\" name=\"choice-%s\" value=\"%s\"%s> %s</label>\n", q.ID, number, mark, o)
	}
	m.put("</fieldset>\n")
}
