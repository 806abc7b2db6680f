package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/chat"
	"github.com/research-council/research-council/internal/base/marker"
	"github.com/research-council/research-council/internal/base/plain"
)

// Toolbox answers the calls of a turn.
type Toolbox interface {
	Tools() []chat.Tool
	// Call answers one call in about so many bytes at most. What cannot be answered
	// is told in the text, with failed: nothing that a model asks for ends its turn.
	Call(ctx context.Context, c chat.Call, limit int) (text string, failed bool)
}

// Bounds of a turn with tools.
const (
	maxRounds = 150 // answers of the model
	maxSilent = 3   // empty answers in a row
	maxSame   = 3   // equal calls with no new one between, before it is told so; twice as many end its calls
)

// loop is a turn with tools under way.
type loop struct {
	TurnIO
	a       chat.Assignment
	key     string
	tools   []chat.Tool
	box     Toolbox
	talk    chat.Talk
	lacks   Features
	window  int64
	scale   float64 // tokens of the server's count to one of ours
	silent  int
	made    map[string]int // how often each call was made since a new one
	stuck   string         // the tool that is called again and again
	closing bool           // no more calls

	answered bool // in an iteration before
}

// useTools has the turn done by a model with tools, from where it was left.
func (d TurnIO) useTools(ctx context.Context, a chat.Assignment, m chat.Material, key string) (chat.Answer, error) {
	if a.Deadline > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, a.Deadline)
		defer cancel()
	}
	box, closeBox, err := d.Toolbox(ctx, a)
	if err != nil {
		return chat.Answer{}, fmt.Errorf("open the tools: %w", err)
	}
	defer closeBox()
	l := &loop{TurnIO: d, a: a, key: key, box: box, scale: 1, made: map[string]int{}, window: d.findWindow(ctx, a, key)}
	l.tools = append(box.Tools(), chat.WriteReport)
	l.answered = m.Last != ""
	l.begin(m)
	said, err := l.run(ctx)
	if err != nil {
		return chat.Answer{}, l.spent(ctx, err)
	}
	return l.answer(said, m)
}

// begin takes up the conversation, or begins it.
func (l *loop) begin(m chat.Material) {
	if data, err := l.Read(l.a.Talk); err == nil {
		_ = json.Unmarshal(data, &l.talk) // what cannot be read is no conversation
	}
	before := l.talk
	switch {
	case before.Session != l.a.Session || len(before.Messages) == 0:
		m.Limit = l.inputLimit(m.Limit)
		l.talk = chat.Talk{Messages: m.WithTools(), Spoken: l.a.Server.Spoken}
	case before.Iteration != l.a.Iteration:
		l.say(m.Again())
		l.talk.Rounds = 0
	}
	l.talk.Session, l.talk.Iteration, l.talk.Used = l.a.Session, l.a.Iteration, chat.Usage{}
}

// inputLimit is how many bytes of files the first question carries: what is left out
// is read by a tool.
func (l *loop) inputLimit(configured int) int {
	most := int(l.window) // a quarter of the window, at four bytes a token
	if configured > 0 {
		most = min(most, configured)
	}
	return min(most, chat.DefaultInputLimit)
}

// run asks until the model has said its last word.
func (l *loop) run(ctx context.Context) (Completion, error) {
	for {
		if err := l.answerCalls(ctx); err != nil {
			return Completion{}, err
		}
		if l.talk.Rounds >= maxRounds {
			l.close(fmt.Sprintf("You have answered %d times, and this is the last: there are no more calls.", maxRounds))
		}
		said, err := l.ask(ctx)
		if err != nil {
			return said, err
		}
		if l.hear(said) {
			return said, l.keep()
		}
		if err := l.keep(); err != nil {
			return said, err
		}
		if l.silent >= maxSilent || l.talk.Rounds > maxRounds {
			return said, nil
		}
	}
}

// hear takes an answer into the conversation, and reports whether it is the last.
func (l *loop) hear(said Completion) bool {
	l.talk.Rounds++
	m := chat.Message{Speaker: chat.Assistant, Text: said.Text, Calls: said.Calls}
	problem := ""
	if len(m.Calls) == 0 && !l.closing {
		m.Calls, problem = chat.SpokenCalls(said.Text, l.has)
	}
	if l.closing {
		m.Calls = nil
	}
	l.nameCalls(m.Calls)
	if len(m.Calls) > 0 {
		m.Thought = said.Thought
	}
	empty := m.Text == "" && said.Refusal == "" && len(m.Calls) == 0
	if !empty {
		if !l.isIdle(m.Text) {
			l.silent = 0
		}
		l.talk.Messages = append(l.talk.Messages, m)
	}
	switch {
	case len(m.Calls) > 0:
		return false
	case empty:
		if l.silent++; l.silent < maxSilent {
			l.say("You have said nothing. Go on; when the work is done, say so in a line.")
		}
		return false
	case l.isIdle(said.Text):
		if l.silent++; l.silent < maxSilent {
			l.say("Nothing is written yet: give the whole text of the file to `" + chat.WriteReport.Name + "`, or as your answer.")
		}
		return false
	case problem != "":
		l.say("This was taken for a call of tools that cannot be read: " + problem + ".")
		return false
	}
	return true
}

// idle is a word of a model that takes its work for done.
var idle = regexp.MustCompile(`(?i)^(?:(?:i am|i'm|all|it is|it's|the report is) )?(?:done|finished|complete|completed|written|ready)[.!]?$`)

// isIdle reports whether a last word tells of a report that nobody has written.
func (l *loop) isIdle(text string) bool {
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), agent.Marker))
	return l.talk.Report == "" && !l.answered && idle.MatchString(text)
}

// nameCalls gives calls ids that no other call of the conversation has, where theirs
// are missing or taken: of nine letters and digits, which is all that Mistral takes.
func (l *loop) nameCalls(calls []chat.Call) {
	taken := l.takenIDs()
	for i, c := range calls {
		if l.lacks.IDs && !shortID.MatchString(c.ID) {
			c.ID = ""
		}
		calls[i].ID = freeID(taken, c.ID)
	}
}

// takenIDs are the ids of the calls so far.
func (l *loop) takenIDs() map[string]bool {
	taken := map[string]bool{"": true}
	for _, m := range l.talk.Messages {
		for _, c := range m.Calls {
			taken[c.ID] = true
		}
	}
	return taken
}

// shortID are the ids that Mistral takes.
var shortID = regexp.MustCompile(`^[a-zA-Z0-9]{9}$`)

// freeID takes an id, or another where that is taken.
func freeID(taken map[string]bool, id string) string {
	for n := len(taken); taken[id]; n++ {
		id = fmt.Sprintf("call%05d", n)
	}
	taken[id] = true
	return id
}

// shortenIDs gives ids to the calls made so far that every server takes.
func (l *loop) shortenIDs() {
	taken, now := l.takenIDs(), map[string]string{"": ""}
	l.talk.Messages = slices.Clone(l.talk.Messages)
	for i, m := range l.talk.Messages {
		l.talk.Messages[i].Calls = slices.Clone(m.Calls)
		for j, c := range m.Calls {
			if now[c.ID] = c.ID; !shortID.MatchString(c.ID) {
				now[c.ID] = freeID(taken, "")
			}
			l.talk.Messages[i].Calls[j].ID = now[c.ID]
		}
		l.talk.Messages[i].Answers = now[m.Answers]
	}
}

// answerCalls has the calls answered that nothing answers yet.
func (l *loop) answerCalls(ctx context.Context) error {
	at := len(l.talk.Messages) - 1
	for at >= 0 && l.talk.Messages[at].Speaker == chat.ToolRole {
		at-- // some were answered before a crash
	}
	if at < 0 || l.talk.Messages[at].Speaker != chat.Assistant {
		return nil
	}
	asked := l.talk.Messages[at].Calls
	done := len(l.talk.Messages) - 1 - at
	var answers []string
	for _, c := range asked[min(done, len(asked)):] {
		if err := ctx.Err(); err != nil {
			return timeoutError(ctx)
		}
		text, err := l.call(ctx, c)
		if err != nil {
			return err
		}
		if c.Spoken {
			answers = append(answers, text)
			continue
		}
		l.talk.Messages = append(l.talk.Messages, chat.Message{Speaker: chat.ToolRole, Answers: c.ID, Text: text})
	}
	if len(answers) > 0 {
		l.talk.Messages = append(l.talk.Messages, chat.SpokenAnswers(asked, answers))
	}
	if len(asked) == 0 {
		return nil
	}
	if l.stuck != "" {
		l.close("You have made the same call again and again, so there are no more calls.")
	}
	return l.keep()
}

// call has one call answered, and tells of it.
func (l *loop) call(ctx context.Context, c chat.Call) (string, error) {
	note := chat.CallNote(c)
	if err := l.writeEvent(chat.Event{Type: chat.Called, Call: plain.Line(c.ID, 80), Tool: plain.Line(c.Name, 80), Note: note}); err != nil {
		return "", err
	}
	text, failed := l.result(ctx, c)
	if !failed {
		if line, ok := chat.Record(c, text); ok {
			l.talk.Recorded = append(l.talk.Recorded, line)
		}
	}
	return redactKey(text, l.key), l.writeEvent(chat.Event{Type: chat.Returned, Call: plain.Line(c.ID, 80), Tool: plain.Line(c.Name, 80), Failed: failed})
}

// result is the answer to a call. One that only repeats calls made before is answered
// by saying so: the answer stands above.
func (l *loop) result(ctx context.Context, c chat.Call) (text string, failed bool) {
	times := l.noteCall(c)
	if times >= 2*maxSame {
		l.stuck = plain.Line(c.Name, 80)
	}
	switch {
	case times > maxSame:
		return "You have made this call just now, and its answer stands above. Do something else, or write what you have.", true
	case !json.Valid([]byte(c.Arguments)) || !gjson.Parse(c.Arguments).IsObject():
		return "The arguments are no JSON object; call again with one.", true
	case c.Name == chat.WriteReport.Name:
		return l.writeReport(c)
	case !l.has(c.Name):
		return fmt.Sprintf("There is no tool %q; there are %s.", plain.Line(c.Name, 80), strings.Join(l.names(), ", ")), true
	}
	return l.box.Call(ctx, chat.Bounded(c, l.resultLimit()), l.resultLimit())
}

// noteCall is how often a call was made while no new one was, this time included.
func (l *loop) noteCall(c chat.Call) int {
	this := c.Name + " " + c.Arguments
	var given any
	if json.Unmarshal([]byte(c.Arguments), &given) == nil {
		if data, err := json.Marshal(given); err == nil { // whatever its blanks, and the order of its fields
			this = c.Name + " " + string(data)
		}
	}
	if _, known := l.made[this]; !known {
		for other := range l.made {
			l.made[other] = 0
		}
	}
	l.made[this]++
	return l.made[this]
}

// resultLimit is how many bytes an answer of a tool may have.
func (l *loop) resultLimit() int { return int(max(1000, min(24_000, l.window*4/8))) }

func (l *loop) has(name string) bool {
	for _, t := range l.tools {
		if t.Name == name {
			return true
		}
	}
	return false
}

func (l *loop) names() []string {
	list := make([]string, len(l.tools))
	for i, t := range l.tools {
		list[i] = t.Name
	}
	return list
}

// writeReport keeps a report that is not the last word yet.
func (l *loop) writeReport(c chat.Call) (text string, failed bool) {
	report := gjson.Get(c.Arguments, "text").Str
	switch {
	case strings.TrimSpace(report) == "":
		return "The report has no text: give the whole of it as `text`.", true
	case len(report) > chat.MaxAnswer:
		return fmt.Sprintf("The report is longer than %d MiB.", chat.MaxAnswer>>20), true
	}
	l.talk.Report = report
	return fmt.Sprintf("Written: %d bytes. It replaces what was written before. If it is complete, say so in a line; else go on and write it again.", len(report)), false
}

// close lets the model make no more calls.
func (l *loop) close(why string) {
	if l.closing {
		return
	}
	l.closing = true
	last := "If the report is not written yet, your answer is its whole text."
	if l.talk.Report != "" {
		last = "The report you have written stands, unless your answer is a whole one that replaces it; a line that says that it is complete will do."
	}
	l.say(why + " " + last)
}

// say says something to the model. Behind the answer of a tool it stands in that:
// Mistral takes no words of a user there.
func (l *loop) say(text string) {
	if n := len(l.talk.Messages) - 1; n >= 0 && l.talk.Messages[n].Speaker == chat.ToolRole {
		l.talk.Messages[n].Text += "\n\n" + text
		return
	}
	l.talk.Messages = append(l.talk.Messages, chat.Says(chat.User, text))
}

// keep keeps the conversation.
func (l *loop) keep() error {
	data, err := json.Marshal(l.talk)
	if err == nil {
		err = l.Write(l.a.Talk, data)
	}
	if err != nil {
		return fmt.Errorf("keep the conversation: %w", err)
	}
	return nil
}

// answer makes an answer of the last word: the report, where the model has written
// one, else what it said.
func (l *loop) answer(said Completion, m chat.Material) (chat.Answer, error) {
	text, last := said.Text, m.Last
	if l.isIdle(text) {
		text = ""
	}
	if l.talk.Report != "" && !isReport(said.Text, l.talk.Report) {
		text = l.talk.Report
	}
	n := chat.Answer{
		Session: l.a.Session, Iteration: l.a.Iteration, Model: said.Model, Finish: said.Finish, Usage: l.talk.Used,
		Text: chat.FinishReport(redactKey(text, l.key), said.Finish, last),
	}
	if n.Text == "" && marker.EndsMarked([]byte(text)) {
		n.Text = agent.Marker + "\n" // a file of which no more is asked, such as one of no findings
	}
	if f := answerFailure(said, n); f != nil {
		switch {
		case f.Cause != chat.Empty:
		case l.stuck != "":
			f.Message = "the model called " + l.stuck + " again and again, and came to no answer"
		case l.isIdle(said.Text):
			f.Message = "the model says that it is done, and has written no report"
		}
		f.Usage, f.Model = &l.talk.Used, said.Model
		return n, f
	}
	return n, nil
}

// isReport reports whether the last word is a report of its own, after one was
// written: a remark is shorter.
func isReport(said, written string) bool { return len(said) > len(written)/2 && len(said) > maxRemark }

// maxRemark is how long a remark at the end may be, in bytes.
const maxRemark = 2000

// spent adds to a failure what was used before it.
func (l *loop) spent(ctx context.Context, err error) error {
	var f *failure
	if !errors.As(err, &f) {
		if ctx.Err() != nil {
			return timeoutError(ctx)
		}
		return err
	}
	if l.talk.Used != (chat.Usage{}) {
		f.Usage = &l.talk.Used
	}
	return f
}

// ask asks once more. What the server does not take is left out, and asked again
// without at once: it has cost nothing.
func (l *loop) ask(ctx context.Context) (Completion, error) {
	for {
		limit := l.room()
		if limit < leastRoom {
			return Completion{}, newFailure(chat.Small, "the model's window of %d tokens is too small for what is asked; set `window` if it is larger than that", l.window)
		}
		l.talk.Fit(limit)
		q := l.question(limit)
		ours := chat.Tokens(q.Talk) + toolTokens(q.Tools)
		if err := l.writeEvent(chat.Event{Type: chat.Asked, Usage: l.with(chat.Usage{Input: ours, Reckoned: true})}); err != nil {
			return Completion{}, err
		}
		said, err := Ask(ctx, q)
		if err == nil {
			l.count(said, ours)
			return said, nil
		}
		if !l.adapt(err, ours) {
			return said, err
		}
	}
}

// noEffort is the effort of a model that is not to think.
const noEffort = "none"

// leastRoom is with how many tokens a conversation can be led at all.
const leastRoom = 1500

// room is how many of our tokens the conversation may have.
func (l *loop) room() int64 {
	answer := min(l.window/4, 8192)
	if l.a.Server.Output > 0 {
		answer = min(int64(l.a.Server.Output), l.window/2)
	}
	return int64(float64(l.window-answer)/l.scale) - toolTokens(l.tools)
}

func toolTokens(tools []chat.Tool) (sum int64) {
	for _, t := range tools {
		sum += agent.EstimateTokens(len(t.Name) + len(t.Description) + len(t.Schema))
	}
	return sum
}

// question is the next request.
func (l *loop) question(limit int64) Question {
	server := l.a.Server
	server.Output = min(server.Output, int(l.window/2))
	q := Question{Server: server, Key: l.key, Model: l.a.Model, Effort: l.a.Effort, Lacks: l.lacks, Talk: l.talk.Shown(limit), Heard: l.progressNotes()}
	if !l.talk.Spoken {
		q.Tools, q.Closed = l.tools, l.closing // calls that stand in the conversation refer to them
		return q
	}
	q.Talk = chat.InWords(q.Talk, l.tools)
	return q
}

// count adds what an answer has cost, and learns how the server counts.
func (l *loop) count(said Completion, ours int64) {
	use := said.Usage
	if use == (chat.Usage{}) {
		size := len(said.Text) + len(said.Refusal) + len(said.Thought)
		for _, c := range said.Calls {
			size += len(c.Arguments)
		}
		use = chat.Usage{Input: ours, Output: agent.EstimateTokens(size), Reckoned: true}
	} else if use.Input > 0 {
		l.scale = min(max(float64(use.Input)/float64(max(1, ours)), 1), 3)
	}
	l.talk.Used = *l.with(use)
}

// with is what was used and this on top.
func (l *loop) with(use chat.Usage) *chat.Usage {
	sum := l.talk.Used
	sum.Input, sum.Cached, sum.Output = sum.Input+use.Input, sum.Cached+use.Cached, sum.Output+use.Output
	sum.Reckoned = sum.Reckoned || use.Reckoned
	return &sum
}

// adapt reports whether another request may be taken where this one, of so many of our
// tokens, was refused: one without what the server does not know, or a shorter one.
func (l *loop) adapt(err error, ours int64) bool {
	var f *failure
	if !errors.As(err, &f) || f.Cause != chat.Refused {
		return false
	}
	about := strings.ToLower(f.param + " " + f.Code + " " + f.Message)
	switch {
	case f.Status == http.StatusUnauthorized || f.Status == http.StatusForbidden || f.Status == http.StatusTooManyRequests || f.Status >= http.StatusBadGateway:
		return false
	case f.Code == chat.BadCall || names(about, "parsing tool call"):
		return false // the model wrote a call that the server cannot read: another time it may do better
	case f.Status == http.StatusRequestEntityTooLarge || names(about, "context_length", "context length", "context size", "context window", "maximum context"):
		l.narrow(about, ours)
		return l.room() >= leastRoom
	}
	return l.leaveOut(about) || l.changeCalls(about)
}

func names(about string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(about, w) })
}

// toldWindow is how servers tell the window where they refuse for length.
var toldWindow = regexp.MustCompile(`context (?:length|size|window)[^0-9]{0,12}([0-9]{4,9})`)

// narrow takes the window to be what the server tells, or else such that the next
// request is shorter than the one it has refused.
func (l *loop) narrow(about string, ours int64) {
	if m := toldWindow.FindStringSubmatch(about); m != nil {
		if told, err := strconv.ParseInt(m[1], 10, 64); err == nil && told < l.window {
			l.window = told
			return
		}
	}
	l.window = min(l.window*2/3, int64(float64(ours)*l.scale))
}

// leaveOut leaves out the fields that a refusal names.
func (l *loop) leaveOut(about string) bool {
	before, effort := l.lacks, l.a.Effort
	if names(about, "stream_options", "include_usage") {
		l.lacks.Count = true
	}
	if names(about, "max_completion_tokens") {
		l.lacks.Max = true
	}
	if names(about, "reasoning_content") {
		l.lacks.Thought = true
	}
	if names(about, "reasoning_effort", "reasoning effort", "support thinking", "reasoning.effort") && effort != noEffort {
		asked := names(about, "to 'none'", `to "none"`)
		l.lacks.Effort = effort != "" && !l.lacks.Effort && !asked
		if !l.lacks.Effort { // some models take tools with no effort alone, and say so where none was named
			l.a.Effort = noEffort
		}
	}
	return l.lacks != before || l.a.Effort != effort
}

// changeCalls has calls made in another form where a refusal is about them.
func (l *loop) changeCalls(about string) bool {
	switch {
	case names(about, "tool call id", "tool_call_id") && !l.lacks.IDs:
		l.lacks.IDs = true
		l.shortenIDs()
	case names(about, "tool", "function") && !l.talk.Spoken:
		l.talk.Spoken = true
		l.talk.Messages = chat.ToWords(l.talk.Messages)
	default:
		return false
	}
	return true
}
