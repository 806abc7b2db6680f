package stagedlibrarian_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/librarian/librariantest"
	"github.com/research-council/research-council/internal/agent/schema"
	"github.com/research-council/research-council/internal/evidence/claim"
	sources "github.com/research-council/research-council/internal/evidence/source"
	"github.com/research-council/research-council/internal/output/report"
	"github.com/research-council/research-council/internal/product/staged"
	"github.com/research-council/research-council/internal/product/staged/stagedlibrarian"
)

// newSession is a run over files, whose librarian knows staged research.
func newSession(t *testing.T, files map[string]string) *librariantest.Session {
	s := librariantest.NewSession(t, files)
	s.Roles = stagedlibrarian.Roles()
	return s
}

// handOver does a turn of staged research with the texts that are handed to it,
// and gives what it wrote.
func handOver(s *librariantest.Session, turn agent.Turn, inputs ...string) (string, agent.Reply) {
	turn.Inputs = nil
	for i, text := range inputs {
		path := filepath.Join(s.Run, "handed", turn.Role, string(rune('a'+i))+".json")
		s.Files[path] = text
		turn.Inputs = append(turn.Inputs, path)
	}
	reply := s.Do(turn)
	return s.ReadFile(turn.Seat, turn.Role+".md"), reply
}

// answered does a turn that must succeed, twice, and holds the answer to its
// schema.
func answered[T any](s *librariantest.Session, turn agent.Turn, inputs ...string) (T, string) {
	var v T
	text, reply := handOver(s, turn, inputs...)
	require.Nil(s.T, reply.Fault)
	require.NotEmpty(s.T, reply.Text)
	require.True(s.T, strings.HasSuffix(text, "\n"+agent.Marker+"\n"))
	object, problems := schema.Check(turn.Role, []byte(text))
	require.Empty(s.T, problems, text)
	require.NoError(s.T, json.Unmarshal(object, &v))
	again, _ := handOver(s, turn, inputs...)
	require.Equal(s.T, text, again, "the same bytes each time")
	return v, string(object)
}

func in(role string) agent.Turn {
	return agent.Turn{Seat: "librarian", Role: role, Topic: librariantest.HeaterQuestion}
}

func TestTenQuestionsInTheWordsOfTheTopic(t *testing.T) {
	s := newSession(t, nil)
	q, _ := answered[staged.Questions](s, in(agent.Questions))
	require.Len(t, q.Questions, staged.QuestionCount)
	for i, one := range q.Questions {
		require.NotEmpty(t, one.Why, i)
		require.NotContains(t, one.Question, "%", i)
		require.True(t, strings.Contains(one.Question, "“heater”, “start”") || strings.Contains(one.Question, librariantest.HeaterQuestion), one.Question)
	}
}

func TestABriefOfAnswers(t *testing.T) {
	own := mustJSON(t, stagedlibrarian.DiscoveryQuestions(librariantest.HeaterQuestion))
	others := `{"questions":[{"id":"Q1","question":"Who is the audience?"},{"id":"Q2","question":"What is your goal?"},{"id":"Q3","question":"Favourite colour?"}]}`
	for name, c := range map[string]struct {
		asked   string
		answers []string
		want    func(*testing.T, staged.Brief)
	}{
		"wrapped answers": {own, []string{`{"answers":{"Q1":"Repair the oven","Q2":"Bakers","Q3":"Whether to buy a new relay","Q5":"the relay; Not the sensors","Q8":"None.","Q10":"It starts; it stops"}}`}, func(t *testing.T, b staged.Brief) {
			require.Equal(t, "Repair the oven. Decision it serves: Whether to buy a new relay.", b.Goal)
			require.Equal(t, "Bakers.", b.Audience)
			require.Equal(t, []string{"the relay"}, b.InScope)
			require.Empty(t, b.Constraints)
			require.Equal(t, []string{"the sensors"}, b.OutOfScope)
			require.Equal(t, []string{"It starts", "It stops"}, []string{b.SuccessCriteria[0], strings.Replace(b.SuccessCriteria[1], "it", "It", 1)})
		}},
		"a bare object, and a later file that overrules": {own, []string{`{"Q1":"first","q8":["cheap","safe"]}`, `{"answers":{"1":"second"}}`}, func(t *testing.T, b staged.Brief) {
			require.Equal(t, "second.", b.Goal)
			require.Contains(t, b.Constraints, "Constraint: cheap; safe")
		}},
		"no answers": {own, []string{`{}`}, func(t *testing.T, b staged.Brief) {
			require.Equal(t, "Answer the question: "+librariantest.HeaterQuestion, b.Goal)
			require.Contains(t, b.Constraints, "No purpose was named; the goal repeats the question.")
			require.Contains(t, strings.Join(b.SuccessCriteria, " "), "“heater”, “start”")
		}},
		"questions of another seat": {others, []string{`{"Q1":"Bakers","Q2":"Repair it","Q3":"Red"}`}, func(t *testing.T, b staged.Brief) {
			require.Equal(t, "Bakers.", b.Audience)
			require.Equal(t, "Repair it.", b.Goal)
			require.Contains(t, b.Constraints, "Favourite colour?: Red")
		}},
		"an answer nobody asked for": {own, []string{`{"remark":"Hurry","confirmed_by_user":true}`}, func(t *testing.T, b staged.Brief) {
			require.Contains(t, b.Constraints, "remark: Hurry")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b, text := answered[staged.Brief](newSession(t, nil), in(agent.Brief), append([]string{c.asked}, c.answers...)...)
			require.Equal(t, librariantest.HeaterQuestion, b.Topic)
			require.False(t, b.Confirmed)
			require.NotContains(t, text, `"confirmed_by_user":true`)
			c.want(t, b)
		})
	}
}

func mustJSON(t require.TestingT, v any) string {
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}

const heaterBrief = `{"topic":"When does the heater start?","goal":"Repair the relay.","success_criteria":["It heats."],"confirmed_by_user":true}`

func TestAPlanFollowsTheHeadingsOfTheFiles(t *testing.T) {
	p, text := answered[staged.Plan](newSession(t, librariantest.Works), in(agent.Planning), heaterBrief)
	require.Contains(t, text, "Section “When the heater starts” of README.md")
	require.GreaterOrEqual(t, len(p.Agents), 3)
	require.LessOrEqual(t, len(p.Agents), staged.Agents)
	dealt := map[string]bool{}
	for _, a := range p.Agents {
		require.NotEmpty(t, a.Queries)
		for _, id := range a.Subtopics {
			require.False(t, dealt[id], "each subtopic has one agent")
			dealt[id] = true
		}
	}
	require.Len(t, dealt, len(p.Subtopics))
	require.NotContains(t, text, "moon")
}

func TestAPlanSaysWhichTermsStandNowhere(t *testing.T) {
	turn := in(agent.Planning)
	turn.Topic = "Why does the heater like unicorns?"
	_, text := answered[staged.Plan](newSession(t, librariantest.Works), turn, heaterBrief)
	require.Contains(t, text, "stand in no file that was read: “unicorns”")
}

func TestAPlanFollowsTheBrief(t *testing.T) {
	brief := `{"goal":"Understand the watchdog.","in_scope":["the thermocouple"],"out_of_scope":["the safety"],"success_criteria":["I know the hysteresis."]}`
	_, text := answered[staged.Plan](newSession(t, librariantest.Works), in(agent.Planning), brief)
	require.Contains(t, text, "The goal of the brief: Understand the watchdog.")
	require.Contains(t, text, "In scope: the thermocouple")
	require.Contains(t, text, "The success criteria: I know the hysteresis.")
	require.NotContains(t, text, "Safety")
}

func TestEachAgentBringsFactsOfItsFocus(t *testing.T) {
	s := newSession(t, librariantest.Works)
	p, plan := answered[staged.Plan](s, in(agent.Planning), heaterBrief)
	for _, a := range p.Agents {
		turn := in(agent.Collection)
		turn.Task = "collection.1/librarian." + a.ID
		g, _ := answered[staged.AgentAnswer](s, turn, heaterBrief, plan)
		require.NotEmpty(t, g.Facts, a.ID)
		require.NotEmpty(t, g.Insights)
		require.LessOrEqual(t, len(g.Facts), 25)
		for _, f := range g.Facts {
			verbatim(t, f)
			require.Contains(t, a.Subtopics, f.Subtopic)
		}
	}
}

// verbatim holds that a fact's quotation stands in the lines it cites.
func verbatim(t require.TestingT, f staged.Fact) {
	src := sources.Identify(f.Source)
	lines := strings.Split(librariantest.Works[src.Path], "\n")
	require.Contains(t, strings.Join(lines[src.First-1:src.Last], "\n"), f.Quote)
	require.NotEmpty(t, f.Statement)
}

func TestAPlanOfAnotherSeatIsFollowed(t *testing.T) {
	plan := `{"subtopics":[{"id":"T1","title":"Relay","questions":["How often may the relay cycle?"]},{"id":"T2","title":"Sensors"}],
		"agents":[{"id":"A1","focus":"Relay and sensors","subtopics":["T1","T2"]},{"id":"A2","focus":"Watchdog and power","subtopics":[]}],"quality_criteria":["x"]}`
	s := newSession(t, librariantest.Works)
	for id, want := range map[string]string{"A1": "relay is", "A2": "watchdog", "A9": "below the set temperature"} {
		turn := in(agent.Collection)
		turn.Task = "collection.2/librarian." + id
		_, text := answered[staged.AgentAnswer](s, turn, heaterBrief, plan)
		require.Contains(t, strings.ToLower(text), want, id)
	}
}

func TestSeatsOfOneKindCollectFromTheirOwnFiles(t *testing.T) {
	s := newSession(t, librariantest.Works)
	_, plan := answered[staged.Plan](s, in(agent.Planning), heaterBrief)
	for seat, suffix := range map[string]string{"librarian-official": "README.md", "librarian-code": ".go", "librarian-community": "CHANGES.md"} {
		turn := agent.Turn{Seat: seat, Role: agent.Collection, Topic: librariantest.HeaterQuestion, Task: "collection.1/" + seat + ".A1"}
		g, _ := answered[staged.AgentAnswer](s, turn, heaterBrief, plan)
		require.NotEmpty(t, g.Facts, seat)
		for _, f := range g.Facts {
			require.True(t, strings.HasSuffix(sources.Identify(f.Source).Path, suffix), "%s: %s", seat, f.Source)
		}
	}
}

func TestNothingToFindIsSaid(t *testing.T) {
	turn := in(agent.Collection)
	turn.Topic = "Unicorns?"
	g, _ := answered[staged.AgentAnswer](newSession(t, librariantest.Works), turn, heaterBrief, `{"agents":[],"subtopics":[]}`)
	require.Empty(t, g.Facts)
	require.Contains(t, strings.Join(g.Insights, " "), "Nothing was found")
	require.Contains(t, strings.Join(g.Insights, " "), "“Unicorns”")
}

func TestWhatAStageCannotDoIsRefusedInOneLine(t *testing.T) {
	for name, c := range map[string]struct {
		role   string
		inputs []string
		want   string
	}{
		"a review":                      {agent.Review, nil, "the librarian judges nothing"},
		"a second review":               {agent.Reconsider, nil, "the librarian judges nothing"},
		"a brief without questions":     {agent.Brief, nil, "needs 1 file, of which 0 came"},
		"questions that are no JSON":    {agent.Brief, []string{"Q1?"}, "the questions cannot be read"},
		"an empty file of answers":      {agent.Brief, []string{`{}`, ""}, "the file of answers is empty"},
		"answers that are a list":       {agent.Brief, []string{`{}`, "[1]"}, "the file of answers cannot be read"},
		"a plan of nothing":             {agent.Planning, nil, "needs 1 file"},
		"a brief cut short":             {agent.Planning, []string{`{"goal":"x`}, "the brief cannot be read"},
		"a collection without a plan":   {agent.Collection, []string{heaterBrief}, "needs 2 files, of which 1 came"},
		"a collection of a plan in XML": {agent.Collection, []string{heaterBrief, "<plan/>"}, "the plan cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			_, reply := handOver(newSession(t, librariantest.Works), in(c.role), c.inputs...)
			require.NotNil(t, reply.Fault)
			require.Equal(t, agent.Terminal, reply.Fault.Class)
			require.Contains(t, reply.Fault.Message, c.want)
			require.NotContains(t, reply.Fault.Message, "\n")
		})
	}
}

// foreign is text of any kind that may stand in what is handed over.
func foreign() *rapid.Generator[string] {
	return rapid.OneOf(librariantest.Hostile(), rapid.SampledFrom([]string{"heater", "the relay", "", "T1", "A1", "Q1", "C1", strings.Repeat("heater ", 900), "\x1b[2J", "启动"}))
}

func TestAnyPlanGivesFactsThatStandInTheFiles(t *testing.T) {
	lib := librariantest.NewMemory(librariantest.Kettles)
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(foreign(), 0, 4)
		id := rapid.SampledFrom([]string{"T1", "T2", "T99", "T100", "x", ""})
		p := staged.Plan{
			Subtopics: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) staged.Subtopic {
				return staged.Subtopic{ID: id.Draw(t, "id"), Title: foreign().Draw(t, "title"), Questions: words.Draw(t, "questions")}
			}), 0, 5).Draw(t, "subtopics"),
			Agents: []staged.Assignment{{ID: "A1", Focus: foreign().Draw(t, "focus"), Subtopics: rapid.SliceOfN(id, 0, 4).Draw(t, "ids"), Queries: words.Draw(t, "queries")}},
		}
		e := stagedlibrarian.QueriesFor("What switches the coil off?", p, "A1")
		g, err := stagedlibrarian.Collect(context.Background(), e, lib, func(string, int) error { return nil })
		require.NoError(t, err)
		_, problems := schema.Check(agent.Collection, []byte(mustJSON(t, g)))
		require.Empty(t, problems)
		for _, f := range g.Facts {
			src := sources.Identify(f.Source)
			lines, err := lib.Lines(src.Path, src.First, src.Last)
			require.NoError(t, err)
			require.Contains(t, lines, f.Quote)
		}
	})
}

func TestAnyTopicHasQuestionsABriefAndAPlan(t *testing.T) {
	lib := librariantest.NewMemory(librariantest.Kettles)
	rapid.Check(t, func(t *rapid.T) {
		topic := strings.Join(rapid.SliceOfN(foreign(), 0, 4).Draw(t, "topic"), " ")
		asked := stagedlibrarian.DiscoveryQuestions(topic)
		_, problems := schema.Check(agent.Questions, []byte(mustJSON(t, asked)))
		require.Empty(t, problems)
		if rapid.Bool().Draw(t, "questions of another seat") {
			asked.Questions = []staged.Question{{ID: "Q1", Question: foreign().Draw(t, "Q1")}, {ID: foreign().Draw(t, "id"), Question: "Who is the audience?"}}
		}
		answers := rapid.MapOfN(rapid.OneOf(foreign(), rapid.StringMatching(`Q[0-9]{1,2}`)), foreign(), 0, 30).Draw(t, "answers")
		read, err := stagedlibrarian.Answers(mustJSON(t, answers))
		require.NoError(t, err)
		brief := stagedlibrarian.MakeBrief(topic, asked, read)
		require.False(t, brief.Confirmed)
		_, problems = schema.Check(agent.Brief, []byte(mustJSON(t, brief)))
		require.Empty(t, problems)
		plan, err := stagedlibrarian.MakePlan(context.Background(), topic, brief, lib)
		require.NoError(t, err)
		_, problems = schema.Check(agent.Planning, []byte(mustJSON(t, plan)))
		require.Empty(t, problems)
	})
}

func FuzzAnswers(f *testing.F) {
	for _, s := range []string{`{"answers":{"Q1":"a"}}`, `{"Q1":["a",1,null,{"b":[]}]}`, `{"answers":[1]}`, "", "[", "null", `{"q01":"x","Q-1":"y","QQ2":"z","2":2}`, "\ufeff{}", `{"Q1":"a\n- b\n- c"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		answers, err := stagedlibrarian.Answers(text)
		if err != nil {
			return
		}
		_, problems := schema.Check(agent.Brief, []byte(mustJSON(t, stagedlibrarian.MakeBrief("heater", stagedlibrarian.DiscoveryQuestions("heater"), answers))))
		require.Empty(t, problems)
	})
}

// handedOn is what the stages of one piece of research have handed on.
type handedOn struct {
	brief, plan, check, synthesis, advocate, registry string

	reg    claim.Registry
	s      staged.SynthesisResult
	v      staged.AdvocateResult
	report string
}

// researchStaged does staged research up to the report with one seat.
func researchStaged(s *librariantest.Session, topic string) handedOn {
	var h handedOn
	turn := func(role string) agent.Turn { return agent.Turn{Seat: "librarian", Role: role, Topic: topic} }
	_, questions := answered[staged.Questions](s, turn(agent.Questions))
	_, h.brief = answered[staged.Brief](s, turn(agent.Brief), questions, `{"answers":{"Q1":"Repair the relay","Q10":"I know the threshold; I know the pause"}}`)
	p, plan := answered[staged.Plan](s, turn(agent.Planning), h.brief)
	h.plan = plan
	var drafts []claim.Draft
	for _, a := range p.Agents {
		ask := turn(agent.Collection)
		ask.Task = "collection.1/librarian." + a.ID
		g, _ := answered[staged.AgentAnswer](s, ask, h.brief, h.plan)
		g.Agent, g.Seat, g.Family = a.ID, "librarian", "librarian"
		drafts = append(drafts, staged.Drafts(g)...)
	}
	drafts = append(drafts, claim.Draft{Text: "The heater starts at noon.", Quote: "starts at noon", Source: "README.md:7", Seat: "other", Family: "other", Round: "collection"})
	h.reg = claim.Merge(claim.Registry{Entries: claim.Locate(claim.Register(nil, drafts), s)})
	h.registry, h.check = mustJSON(s.T, h.reg), mustJSON(s.T, staged.FactCheck(h.reg, false))
	h.s, h.synthesis = answered[staged.SynthesisResult](s, turn(agent.Findings), h.brief, h.check, h.registry)
	h.v, h.advocate = answered[staged.AdvocateResult](s, turn(agent.Advocate), h.check, h.synthesis, h.registry)
	text, reply := handOver(s, turn(agent.Prose), h.brief, h.synthesis, h.advocate, h.check, h.registry)
	require.Nil(s.T, reply.Fault)
	h.report = text
	return h
}

func (h handedOn) known(id string) bool {
	_, ok := h.reg.Entry(id)
	return ok
}

func TestStagedResearchWithoutAModelEndsInAReport(t *testing.T) {
	h := researchStaged(newSession(t, librariantest.Works), librariantest.HeaterQuestion)
	require.Empty(t, staged.Lint(agent.Findings, []byte(h.synthesis), h.known))
	require.Empty(t, staged.Lint(agent.Advocate, []byte(h.advocate), h.known))
	require.Empty(t, report.Staged.Lint([]byte(h.report), h.reg.Entries))
	require.True(t, strings.HasSuffix(h.report, "\n"+agent.Marker+"\n"))
	require.GreaterOrEqual(t, blocks(h.report), staged.Blocks)
	require.Contains(t, h.report, "for three readings in a row")
	require.Contains(t, h.report, "no model wrote or judged its text")
	require.Regexp(t, `The heater starts at noon \[C\d+\] \(unconfirmed\)\.`, h.report)
}

// blocks counts paragraphs and items of lists.
func blocks(markdown string) int {
	n := 0
	for block := range strings.SplitSeq(markdown, "\n\n") {
		if !strings.HasPrefix(block, "#") && !strings.HasPrefix(block, "<!--") {
			n += max(1, strings.Count("\n"+block, "\n- "))
		}
	}
	return n
}
