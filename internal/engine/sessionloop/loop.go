// Package sessionloop is the loop of a person's own session, in whatever host: it
// goes on with one task, answer after answer, until the last line of an answer is
// the marker, or a bound is reached.
//
// A [Loop] belongs to one session of one host and to no other. [Loop.Hear] judges an
// answer from what the host tells of it and from the clock, which comes in as a
// value; what a loop has counted stands in a file outside of the project, where
// neither a repository nor a model in a box writes, and what cannot be counted is
// not continued. Speaking a host's dialect is left to the door.
package sessionloop

import (
	"hash/fnv"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/research-council/research-council/internal/base/marker"
)

// The hosts, as they are named in a loop.
const (
	Claude = "claude"
	Codex  = "codex"
	Gemini = "gemini"
)

// Bounds of every loop.
const (
	DefaultAnswers = 10
	MaxAnswers     = 500
	MaxGemini      = 100 // Gemini CLI keeps each continuation on its stack
	MaxAge         = 24 * time.Hour

	maxEmpty  = 3               // empty answers in a row that end it
	maxSame   = 3               // answers in a row of the same words that end it
	sameCall  = 2 * time.Second // within which the same call is another copy of the hook
	taskStart = 500             // bytes of the task that an answer is asked with
)

// CeilingOf is the most answers a loop in a host may have.
func CeilingOf(host string) int {
	if host == Gemini {
		return MaxGemini
	}
	return MaxAnswers
}

// Status is how a loop stands.
type Status string

const (
	Active    Status = "active"
	Done      Status = "done"      // the marker came
	Limit     Status = "limit"     // all answers are spent
	Cancelled Status = "cancelled" // a person ended it, or cleared its session
	Stuck     Status = "stuck"     // empty answers, or the same again and again
	Expired   Status = "expired"   // it is older than [MaxAge]
)

// Loop is a session's loop.
type Loop struct {
	Host    string
	Session string
	Status  Status
	Task    string // its beginning, on one line
	File    string // where the whole task stands
	Marker  string // "" for none
	Max     int    // answers
	Answers int    // counted so far
	Begun   time.Time
	Last    time.Time // when an answer was counted last; zero for never

	empty  int    // empty answers in a row
	same   int    // answers in a row of the same words, the last one included
	words  uint64 // of the last answer
	call   uint64 // that was counted last
	rests  bool   // the person has said something of their own since
	prompt uint64 // that the answers must belong to; 0 for any
	seen   int    // bytes of a cumulative answer judged so far
	sum    uint64 // of these
}

// New is a loop on a task that begins now. The task is kept in file.
func New(host, session, task, file string, now time.Time) Loop {
	line := strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(task, "?"))), " ")
	if len(line) > taskStart {
		line = strings.ToValidUTF8(line[:taskStart], "") + "…"
	}
	return Loop{Host: host, Session: session, Status: Active, Task: line, File: file, Max: DefaultAnswers, Begun: now}
}

// Bind lets only answers to this prompt count, where a host tells of each answer
// which prompt it is to.
func (l *Loop) Bind(prompt string) { l.prompt = sum(prompt) }

// Rest notes that the person has said something of their own: the answer to that
// is theirs. [Loop.GoOn] takes it back.
func (l *Loop) Rest() { l.rests = true }

// GoOn has the next answer count again.
func (l *Loop) GoOn() { l.rests = false }

// Answer is one that a host tells of.
type Answer struct {
	Text       string
	Cumulative bool   // the text holds what was judged before
	Prompt     string // it belongs to, where the host tells that
	Call       string // what tells one call of the host from another
	Continued  bool   // the turn was continued by a hook
	Waits      bool   // the session waits for a person, or for its own background tasks
	At         time.Time
}

// Verdict is what follows an answer.
type Verdict struct {
	More  bool   // the session is asked to go on
	Words string // for the person; "" for none
}

// Hear judges an answer and counts it. An answer that is not the loop's lets the
// session go and changes nothing.
func (l *Loop) Hear(a Answer) Verdict {
	switch {
	case l.Status != Active || a.Waits || l.prompt != 0 && l.prompt != sum(a.Prompt):
		return Verdict{}
	case a.At.Sub(l.Begun) > MaxAge:
		return l.end(Expired, "it has run for a day")
	case l.rests && !a.Continued:
		return Verdict{Words: l.RestsText()}
	case l.isSameCall(a):
		return Verdict{More: true, Words: l.Title()}
	}
	l.rests = false
	return l.judge(l.fresh(a), a)
}

func (l *Loop) judge(text string, a Answer) Verdict {
	l.Answers++
	l.Last, l.call = a.At, a.key()
	blank := strings.TrimSpace(text) == ""
	switch words := letters(text); {
	case l.same > 0 && words == l.words && words != letters(l.Marker): // who misses the marker by a sign is not stuck
		l.same++
	default:
		l.words, l.same = words, 1
	}
	if l.empty++; !blank {
		l.empty = 0
	}
	switch {
	case l.Marker != "" && marker.EndsWith([]byte(text), l.Marker):
		return l.end(Done, "the marker came with answer "+strconv.Itoa(l.Answers)+" of "+strconv.Itoa(l.Max))
	case l.Answers >= l.Max:
		why := "all " + strconv.Itoa(l.Max) + " answers are given"
		if l.Marker != "" {
			why += ", without the marker"
		}
		return l.end(Limit, why)
	case l.empty >= maxEmpty:
		return l.end(Stuck, strconv.Itoa(maxEmpty)+" empty answers in a row")
	case !blank && l.same >= maxSame:
		return l.end(Stuck, "the same answer "+strconv.Itoa(maxSame)+" times in a row")
	}
	return Verdict{More: true, Words: l.Title()}
}

func (l *Loop) end(s Status, why string) Verdict {
	l.Status = s
	return Verdict{Words: "Research loop: it has ended: " + why + "."}
}

// isSameCall reports whether another copy of the hook has counted this answer just
// now: two copies of a plugin fire both, where a host has two.
func (l *Loop) isSameCall(a Answer) bool {
	gap := a.At.Sub(l.Last)
	return l.Answers > 0 && !a.Cumulative && l.call == a.key() && gap < sameCall && gap > -sameCall
}

func (a Answer) key() uint64 { return sum(a.Call, strconv.FormatBool(a.Continued), a.Text) }

// fresh is what an answer has that was not judged before.
func (l *Loop) fresh(a Answer) string {
	if !a.Cumulative {
		return a.Text
	}
	text := a.Text
	if l.seen > 0 && l.seen <= len(text) && sum(text[:l.seen]) == l.sum {
		text = text[l.seen:]
	}
	l.seen, l.sum = len(a.Text), sum(a.Text)
	return text
}

// Title says for the screen which answer is under way.
func (l *Loop) Title() string {
	return "Research loop: answer " + strconv.Itoa(min(l.Answers+1, l.Max)) + " of " + strconv.Itoa(l.Max)
}

func (l *Loop) position() string { return strconv.Itoa(l.Answers) + " of " + strconv.Itoa(l.Max) }

// RestsText tells the person that the loop leaves them their own turn.
func (l *Loop) RestsText() string {
	return "Research loop: it rests at " + l.position() + " answers. Type " + l.goOn() + " to go on, or " + l.command("cancel") + " to end it."
}

func (l *Loop) goOn() string {
	if l.Host == Gemini {
		return l.command("continue")
	}
	return "continue"
}

// Reason is what the session is asked to go on with. The marker never stands on a
// line of its own there: what is quoted back would end the loop.
func (l *Loop) Reason() string {
	return l.Title() + ". Go on with the task: " + l.Task + " " + l.wholeTask() +
		"Nobody reads along and nobody answers questions now: this is no consent to anything. Where one is needed, take the safe choice, or say what is missing. " +
		l.howToEnd() + "The user ends the loop with " + l.command("cancel") + "."
}

func (l *Loop) wholeTask() string {
	if !strings.HasSuffix(l.Task, "…") {
		return ""
	}
	return "(The whole task stands in " + l.File + ".) "
}

func (l *Loop) howToEnd() string {
	if l.Marker == "" {
		return ""
	}
	return "When the task is done, and only then, end the answer with a line that is just " + strconv.Quote(l.Marker) + " without the quotation marks, plain and outside of any code block. "
}

// Standing tells a session that has begun or has lost its context, and its person,
// that the loop is on.
func (l *Loop) Standing() string {
	return "A research loop is on in this session: " + l.position() + " answers are given to the task: " + l.Task + " " + l.wholeTask() + l.howToEnd() +
		"It goes on with the next answer; " + l.command("cancel") + " ends it."
}

// BegunText tells the session that the loop has begun.
func (l *Loop) BegunText() string {
	text := "Research loop is on. After each answer this session is asked to go on with the task, until " + strconv.Itoa(l.Max) + " answers are given or a day is over. "
	if l.Marker == "" {
		text += "No marker was named: nothing else ends it early. "
	}
	return text + l.howToEnd() + "The user ends it with " + l.command("cancel") + ", and goes on after an interruption with " + l.goOn() + ". The task, as data: " + l.Task + " " + l.wholeTask()
}

// Summary says for a person how the loop stands.
func (l *Loop) Summary(now time.Time) string {
	lines := []string{
		"Research loop in " + l.Host + ", session " + l.Session + ": " + string(l.Status) + ", " + l.position() + " answers",
		"task     " + l.Task,
	}
	if l.Marker != "" {
		lines = append(lines, "marker   "+l.Marker)
	}
	last := "none is counted yet; no hook has told of one"
	if !l.Last.IsZero() {
		last = ago(now.Sub(l.Last))
	}
	lines = append(lines, "begun    "+ago(now.Sub(l.Begun)), "answer   "+last)
	if l.Status == Active {
		if l.rests {
			lines = append(lines, "rests    until the person types "+l.goOn())
		}
		lines = append(lines, "end      "+l.command("cancel")+", or council loop cancel")
	}
	return strings.Join(lines, "\n")
}

func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + " min ago"
	default:
		return strconv.Itoa(int(d.Hours())) + " h ago"
	}
}

// command is how the person says a word to the loop in this host.
func (l *Loop) command(word string) string {
	switch l.Host {
	case Codex:
		return "$research-council:research-loop " + word
	case Gemini:
		return "/research-loop " + word
	default:
		return "/research-council:research-loop " + word
	}
}

// IsGoOn reports whether a person's words are no more than that it shall go on.
func IsGoOn(text string) bool {
	switch strings.Trim(strings.ToLower(strings.TrimSpace(text)), ".! ") {
	case "continue", "go on", "resume", "keep going", "proceed", "weiter", "continua", "continuez", "continúa", "продолжай", "继续", "続けて":
		return true
	}
	return false
}

// letters is a sum over the letters and digits of a text, however they are set.
func letters(text string) uint64 {
	h := fnv.New64a()
	var buf [64]byte
	out := buf[:0]
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			continue
		}
		if out = append(out, string(unicode.ToLower(r))...); len(out) > len(buf)-8 {
			_, _ = h.Write(out) // it never fails
			out = buf[:0]
		}
	}
	_, _ = h.Write(out)
	return h.Sum64()
}

func sum(texts ...string) uint64 {
	h := fnv.New64a()
	for _, text := range texts {
		_, _ = h.Write(append([]byte(text), 0)) // it never fails
	}
	return h.Sum64()
}
