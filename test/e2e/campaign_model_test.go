package e2e_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/test/loopback"
)

// campaigner is a scripted model that works on campaigns as a good worker
// would: it reads what it is told, finds its brief, and does what its role does
// by the tools it is offered. Only what it finds is made up.
type campaigner struct {
	*loopback.Server
	script
	project string
	taken   map[string]int   // steps, by record; requests come one at a time
	visits  map[string][]int // a session's iterations, by role
}

// script is what it does.
type script struct {
	found [][]fact                     // by visit, what researchers come back with
	roles map[string]func(brief) []act // by role, the steps of an iteration
	// skilled makes a command that a loop has sent a call of the Skill tool.
	skilled bool
	// before is asked first, about every turn of the model; n counts the steps
	// its iteration has taken, -1 outside of any.
	before func(q loopback.Request, b brief, n int) (loopback.Step, bool)
}

// act is one step of an iteration.
type act = loopback.Step

// fact is a claim that a researcher records.
type fact struct{ text, quote, source string }

// brief is what the model has made out of an iteration's brief.
type brief struct {
	role            string
	visit           int
	records, record string // folder and file
	session         bool   // it is the person's own session
	single          bool   // it can ask no other agents, and in the project its own tools change nothing
	said            string // everything, in order
	agents          string // what stands before an agent's name
}

func campaigning(t *testing.T, project string, s script) *campaigner {
	return campaigningAs(t, loopback.Anthropic, project, s)
}

// campaigningAs is the same model at any vendor.
func campaigningAs(t *testing.T, vendor func(testing.TB, loopback.Scenario) *loopback.Server, project string, s script) *campaigner {
	c := &campaigner{script: s, project: project, taken: map[string]int{}, visits: map[string][]int{}}
	c.Server = vendor(t, loopback.Scenario{Play: c.play, Most: 5000})
	return c
}

var (
	briefGiven     = regexp.MustCompile(`iteration: (\d+) of \d+ \((explore|conclude|design|critique|breakdown|code)\)`)
	recordNamed    = regexp.MustCompile(`/seats/[\w./]+/\w+-(\d+)\.md`)
	desksNamed     = regexp.MustCompile(`/research/[\w-]+/seats/\w+(?:/critique\.\d+)?`)
	judgementAsked = regexp.MustCompile("Write to `(/[^`]+/judgement-\\d+\\.json)` one JSON object")
	noteGiven      = regexp.MustCompile(`The brief of this iteration is in (/.+?\.md)\.`)
	commandTold    = regexp.MustCompile(`council campaign begin ([a-z-]+) --arguments`)
	typedTo        = regexp.MustCompile(`(?s)<arguments>\n(.*?)\n</arguments>`)
)

// play answers one request.
func (c *campaigner) play(q loopback.Request) (loopback.Step, bool) {
	if q.Inner != "" {
		return loopback.Step{}, false
	}
	if claudes(q) && strings.Contains(q.Session, "/") {
		return helper(q), true
	}
	b, n := understand(q, c.project), -1
	if b.record != "" {
		n = c.taken[b.record]
	}
	if b.session {
		b.visit = c.visit(b)
	}
	if c.before != nil {
		if step, ok := c.before(q, b, n); ok {
			return step, true
		}
	}
	if step, ok := c.led(b); ok {
		return step, true
	}
	switch {
	case b.record == "":
		return loopback.Step{Text: "There is no brief."}, true
	case strings.Count(b.said, "Async agent launched") > strings.Count(b.said, "<task-notification>") && !strings.Contains(q.LastUser, "Stop hook feedback"):
		return loopback.Step{Text: "I wait for the agents."}, true
	}
	steps := c.roles[b.role](b)
	c.taken[b.record]++
	if n < len(steps) {
		return steps[n], true
	}
	return loopback.Step{Text: "The iteration is recorded."}, true
}

// visit is the visit to a session's role, which is told of its iteration alone.
func (c *campaigner) visit(b brief) int {
	if !slices.Contains(c.visits[b.role], b.visit) {
		c.visits[b.role] = append(c.visits[b.role], b.visit)
	}
	return slices.Index(c.visits[b.role], b.visit) + 1
}

// everythingSaid is all texts of a request in order, those of the system in the
// middle of the list too.
func everythingSaid(q loopback.Request) string {
	if !claudes(q) {
		return q.Said()
	}
	var out strings.Builder
	var walk func(v gjson.Result)
	walk = func(v gjson.Result) {
		if v.Type == gjson.String {
			out.WriteString(v.Str + "\n")
		}
		if v.IsObject() || v.IsArray() {
			v.ForEach(func(_, child gjson.Result) bool { walk(child); return true })
		}
	}
	for _, m := range gjson.GetBytes(q.Body, "messages.#.content").Array() {
		walk(m)
	}
	return out.String()
}

// claudes reports whether a request is claude's.
func claudes(q loopback.Request) bool { return strings.HasSuffix(q.Path, "/v1/messages") }

func understand(q loopback.Request, project string) brief {
	b := brief{said: everythingSaid(q), session: claudes(q), single: !claudes(q)}
	if report := lastOf(judgementAsked, b.said); report != nil {
		b.record, b.role, b.session = b.said[report[2]:report[3]], agent.Judge, false
		return b
	}
	for _, tool := range q.Tools {
		if strings.HasPrefix(tool, "mcp__desk__") {
			b.session = false
		}
	}
	if b.session {
		b.agents = "research-council:"
	}
	given, desk := lastOf(briefGiven, b.said), lastOf(desksNamed, b.said)
	if given == nil || desk == nil {
		return b
	}
	b.records, b.role = project+b.said[desk[0]:desk[1]], b.said[given[4]:given[5]]
	visit := b.said[given[2]:given[3]] // a session is not told: its visits here are its iterations
	if named := recordNamed.FindStringSubmatch(b.said[given[0]:]); named != nil && !b.session {
		visit = named[1]
	}
	b.visit, _ = strconv.Atoi(visit) // digits
	b.record = fmt.Sprintf("%s/%s-%s.md", b.records, b.role, visit)
	return b
}

// led is the way to a brief, where something was said after the last one that
// leads to another: a note that names it, a command's own text, or a command
// that a loop has sent. The latest counts.
func (c *campaigner) led(b brief) (loopback.Step, bool) {
	if !b.session {
		return loopback.Step{}, false
	}
	note, command, typed, again := lastOf(noteGiven, b.said), lastOf(commandTold, b.said), lastOf(fedLine, b.said), lastOf(skillAgain, b.said)
	switch latest := max(strings.LastIndex(b.said, "## The end of the iteration"), at(note), at(command), at(typed), at(again)); {
	case latest < 0:
	case latest == at(note), latest == at(command) && note != nil && b.record == "": // the note may stand before the text it belongs to
		return loopback.Step{Read: b.said[note[2]:note[3]]}, true
	case latest == at(command):
		arguments := lastOf(typedTo, b.said)
		return begin(b.said[command[2]:command[3]], b.said[arguments[2]:arguments[3]]), true
	case latest == at(again):
		return begin(b.said[again[2]:again[3]], b.said[again[4]:again[5]]), true
	case latest == at(typed) && c.skilled:
		return loopback.Step{Tools: []loopback.Call{{Name: "Skill", Input: map[string]any{
			"skill": "research-council:" + b.said[typed[2]:typed[3]], "args": b.said[typed[4]:typed[5]],
		}}}}, true
	case latest == at(typed):
		return begin(b.said[typed[2]:typed[3]], b.said[typed[4]:typed[5]]), true
	}
	return loopback.Step{}, false
}

// fedLine is a command of ours as plain text, as a loop feeds it; skillAgain is
// what the Skill tool answers to one whose text it has given before.
var (
	fedLine    = regexp.MustCompile(`(?m)^/research-council:([a-z-]+) (.+)$`)
	skillAgain = regexp.MustCompile(`(?m)Skill /research-council:([a-z-]+) is already loaded above.* Arguments: (.+)$`)
)

func lastOf(re *regexp.Regexp, text string) []int {
	all := re.FindAllStringSubmatchIndex(text, -1)
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}

func at(found []int) int {
	if found == nil {
		return -1
	}
	return found[0]
}

func begin(mode, arguments string) loopback.Step {
	return loopback.Step{Shell: "council campaign begin " + mode + " --arguments - <<'ARGUMENTS'\n" + arguments + "\nARGUMENTS"}
}

// helper is a subagent: it records what its prompt says it finds, claim by
// claim, and then says so.
func helper(q loopback.Request) loopback.Step {
	done := len(gjson.GetBytes(q.Body, `messages.#(role=="user")#.content|@flatten|#(type=="tool_result")#`).Array())
	tool := ""
	for _, name := range q.Tools {
		if strings.HasSuffix(name, "__record_claim") {
			tool = name
		}
	}
	for i, line := range findings(q.LastUser) {
		if i == done && tool != "" {
			return loopback.Step{Tools: []loopback.Call{{Name: tool, Input: decoded(line)}}}
		}
	}
	return loopback.Step{Text: "What I was asked for is found and recorded. The sources are the project's own notes."}
}

func decoded(line string) (input map[string]any) {
	if err := json.Unmarshal([]byte(line), &input); err != nil {
		panic(err) // the script's own words
	}
	return input
}

func findings(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		if found, ok := strings.CutPrefix(line, "FIND "); ok {
			list = append(list, found)
		}
	}
	return list
}

// ask calls subagents side by side, each with its prompt; who has none records
// itself what they would have found.
func (b brief) ask(name string, prompts ...string) act {
	var step act
	if b.single {
		for _, line := range findings(strings.Join(prompts, "")) {
			step.Tools = append(step.Tools, loopback.Call{Server: "desk", Name: "record_claim", Input: decoded(line)})
		}
		return step
	}
	for i, p := range prompts {
		step.Tools = append(step.Tools, loopback.Call{Name: "Agent", Input: map[string]any{
			"description": fmt.Sprintf("%s %d", name, i+1), "prompt": p, "subagent_type": b.agents + name,
		}})
	}
	return step
}

func (f fact) line() string {
	return "FIND " + string(encoded(map[string]any{"text": f.text, "quote": f.quote, "source": f.source, "source_type": "official_doc"})) + "\n"
}

// write puts a file among the records.
func (b brief) write(name, content string) act {
	return act{Write: &loopback.File{Path: filepath.Join(b.records, name), Content: content}}
}

const recorded = "What was looked for was found in the project's notes, which are primary. Nothing contradicts. Next: what the notes leave open."

// end hands the iteration's record in.
func (b brief) end() act {
	if b.session {
		return act{Shell: "council campaign end --file - <<'RECORD'\n" + recorded + "\nRECORD"}
	}
	return act{Write: &loopback.File{Path: b.record, Content: recorded + "\n\n" + agent.Marker + "\n"}}
}

// explore is an iteration of research: two researchers side by side share what
// the visit finds.
func (s script) explore(b brief) []act {
	prompts := []string{"Facet one of the question.\n", "Facet two of the question.\n"}
	if b.visit <= len(s.found) {
		for i, f := range s.found[b.visit-1] {
			prompts[i%2] += f.line()
		}
	}
	text := "The notes agree on how it works.\n"
	if b.visit > 1 {
		text += "\nWhat was found first still holds [C1].\n"
	}
	question := `{"question":"What do the notes leave open?"}`
	if b.visit == 2 {
		question = `{"question":"What do the notes leave open?","answered":["C1"]}`
	}
	return []act{
		b.ask("researcher", prompts...),
		b.write("sections/report/analysis.md", text),
		b.add("questions.jsonl", question),
		b.end(),
	}
}

// conclude is the report's prose.
func conclude(b brief) []act {
	var steps []act
	for _, key := range []string{"executive-summary", "background", "analysis", "open-questions", "methodology"} {
		steps = append(steps, b.write("sections/report/"+key+".md", "On "+key+": it holds, as the notes say [C1].\n"))
	}
	return append(steps, b.end())
}

const (
	blocker = `{"severity":"blocker","aspect":"feasibility","text":"The switch is to open at a degree no bimetal holds.","evidence":["C1"],"resolution":"say which tolerance it has"}`
	mended  = `{"resolves":"B1","how":"The tolerance is said now.","evidence":["opens within two degrees of its point"]}`
)

// design is an iteration of planning: the first writes a plan in which a critic
// finds a blocker, the second mends it, and the others leave it as it is.
func design(b brief) []act {
	var steps []act
	if !b.single {
		steps = append(steps, b.ask("plan-architect", "Look at the components.", "Look at the technology."))
	}
	if b.visit == 1 {
		for _, key := range []string{"vision", "architecture", "component-switch", "technology", "defensibility", "risks", "sequence"} {
			steps = append(steps, b.write("sections/plan/"+key+".md", "On "+key+": as was found [C1].\n"))
		}
		steps = append(steps, b.write("sections/plan/decisions.md", "- which metal\n"))
	}
	if b.visit == 2 {
		steps = append(steps, b.write("sections/plan/architecture.md", "The switch opens within two degrees of its point [C1].\n"))
	}
	return append(steps, b.end())
}

// critique is a critic's turn: the first that has a plan to read raises a
// blocker, the next closes it.
func critique(b brief) []act {
	switch b.visit {
	case 2:
		return []act{b.write("issues.jsonl", blocker+"\n"), b.end()}
	case 3:
		return []act{b.write("issues.jsonl", mended+"\n"), b.end()}
	}
	return []act{b.end()}
}

// judge accepts the change it is shown.
func judge(b brief) []act {
	return []act{{Write: &loopback.File{Path: b.record, Content: `{"accept":true,"reason":"The new test fails without the change and passes with it.","checked":"The change and its test.","tests":[]}` + "\n"}}}
}

// add puts a line at the end of a file of records, by the shell. No line here
// holds an apostrophe.
func (b brief) add(name, line string) act {
	if b.single {
		return b.write(name, line+"\n")
	}
	return act{Shell: "printf '%s\\n' '" + line + "' >> '" + strings.ReplaceAll(filepath.Join(b.records, name), "'", `'\''`) + "'"}
}

// breakdown hands in a list of two features.
func breakdown(b brief) []act {
	return []act{b.write("feature-list.json", `{"features":[
		{"id":"F001","name":"Addition","description":"Add(a, b) is the sum.","component":"switch","dependencies":[],"passes":false},
		{"id":"F002","name":"Subtraction","description":"Sub(a, b) is the difference.","component":"switch","dependencies":["F001"],"passes":false}]}`), b.end()}
}

var (
	featureAsked = regexp.MustCompile(`(?m)id: (F\d+)`)
	attemptAsked = regexp.MustCompile(`attempt: (\d+) of 3`)
	projectNamed = regexp.MustCompile("Write in `([^`]+)` as the feature needs it")
)

// features are what the two features come to: a test, and code that is wrong
// until some attempt.
var features = map[string]struct {
	name, test, code, wrong string
	good                    int // the attempt that gets it right
}{
	"F001": {
		name: "add", good: 1,
		test: "package calc\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(2, 3) != 5 {\n\t\tt.Fatal(\"2+3 is not 5\")\n\t}\n}\n",
		code: "package calc\n\nfunc Add(a, b int) int { return a + b }\n",
	},
	"F002": {
		name: "sub", good: 3,
		test:  "package calc\n\nimport \"testing\"\n\nfunc TestSub(t *testing.T) {\n\tif Sub(5, 3) != 2 {\n\t\tt.Fatal(\"5-3 is not 2\")\n\t}\n}\n",
		code:  "package calc\n\nfunc Sub(a, b int) int { return a - b }\n",
		wrong: "package calc\n\nfunc Sub(a, b int) int { return b - a }\n",
	},
}

// code is an attempt at a feature. The worker always believes in what it did.
func code(b brief) []act {
	n, _ := strconv.Atoi(lastGroup(attemptAsked, b.said)) // digits
	return building(b, n >= features[lastGroup(featureAsked, b.said)].good)
}

// building is an attempt that comes out right, or not.
func building(b brief, right bool) []act {
	id := lastGroup(featureAsked, b.said)
	f, project := features[id], lastGroup(projectNamed, b.said)
	text := f.wrong
	if right {
		text = f.code
	}
	return []act{
		{Write: &loopback.File{Path: filepath.Join(project, f.name+"_test.go"), Content: f.test}},
		{Write: &loopback.File{Path: filepath.Join(project, f.name+".go"), Content: text}},
		b.run(testCommand),
		b.write("feature.json", fmt.Sprintf(`{"id":%q,"claims":"pass","summary":"It works.","files":[%q],"tests":[%q]}`+"\n", id, f.name+".go", f.name+"_test.go")),
		b.end(),
	}
}

// run runs a command line in the project: by the shell in a session, else by
// the desk, which is the only shell a seat that codes has.
func (b brief) run(line string) act {
	if b.session {
		return act{Shell: line}
	}
	return act{Tools: []loopback.Call{{Server: "desk", Name: "run_command", Input: map[string]any{"command": line}}}}
}

// testCommand decides whether features pass.
const testCommand = "go test ./..."

func lastGroup(re *regexp.Regexp, text string) string {
	if found := lastOf(re, text); found != nil {
		return text[found[2]:found[3]]
	}
	return ""
}
