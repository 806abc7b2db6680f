package scope_test

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/scope"
)

func n(i int) *int { return &i }

const (
	broadTopic  = "How does the Go scheduler steal work?"
	narrowTopic = "Where is the retry policy defined in our codebase?"
	auditTopic  = "Are we following the naming conventions?"
)

func TestModeBudgetDebateAndAgentsAreSettled(t *testing.T) {
	for _, c := range []struct {
		name   string
		wish   scope.PlanRequest
		mode   scope.Mode
		budget scope.Budget
		debate scope.Debate
		agents int
	}{
		{"nothing asked for", scope.PlanRequest{Topic: broadTopic}, "exploratory", "medium", "auto", 3},
		{"the wording sets the mode", scope.PlanRequest{Topic: "Kafka or NATS?"}, "decision", "medium", "auto", 3},
		{"a flag sets it against the wording", scope.PlanRequest{Topic: "Kafka or NATS?", Mode: "exploratory"}, "exploratory", "medium", "auto", 3},
		{"an unknown mode is the default, not the wording's", scope.PlanRequest{Topic: "Kafka or NATS?", Mode: "quick"}, "exploratory", "medium", "auto", 3},
		{"unknown words are the defaults", scope.PlanRequest{Topic: broadTopic, Debate: "maybe", Budget: "huge"}, "exploratory", "medium", "auto", 3},
		{"case and blanks do not matter", scope.PlanRequest{Topic: broadTopic, Mode: " Decision", Debate: "FORCE", Budget: "High "}, "decision", "high", "force", 3},
		{"low is one researcher without debate", scope.PlanRequest{Topic: broadTopic, Budget: "low"}, "exploratory", "low", "off", 1},
		{"high debates", scope.PlanRequest{Topic: broadTopic, Budget: "high"}, "exploratory", "high", "force", 3},
		{"high, but no debate wanted", scope.PlanRequest{Topic: broadTopic, Budget: "high", Debate: "off"}, "exploratory", "high", "off", 3},
		{"compliance debates", scope.PlanRequest{Topic: broadTopic, Mode: "compliance"}, "compliance", "medium", "force", 3},
		{"compliance debates even at low", scope.PlanRequest{Topic: broadTopic, Mode: "compliance", Budget: "low"}, "compliance", "low", "force", 1},
		{"a narrow topic lowers the budget", scope.PlanRequest{Topic: narrowTopic}, "exploratory", "low", "off", 1},
		{"but not one that was asked for", scope.PlanRequest{Topic: narrowTopic, Budget: "medium"}, "exploratory", "medium", "auto", 3},
		{"nor agents that were", scope.PlanRequest{Topic: narrowTopic, Agents: n(2)}, "exploratory", "low", "off", 2},
		{"nor seats that were", scope.PlanRequest{Topic: narrowTopic, Seats: []string{"a", "b"}, Named: true}, "exploratory", "low", "off", 2},
		{"nor a debate that was", scope.PlanRequest{Topic: narrowTopic, Debate: "force"}, "exploratory", "low", "force", 1},
		{"an audit is narrow, and compliance debates all the same", scope.PlanRequest{Topic: auditTopic}, "compliance", "low", "force", 1},
		{"low bounds agents that were asked for", scope.PlanRequest{Topic: broadTopic, Budget: "low", Agents: n(3)}, "exploratory", "low", "off", 1},
		{"one agent", scope.PlanRequest{Topic: broadTopic, Agents: n(1)}, "exploratory", "medium", "auto", 1},
		{"too few agents", scope.PlanRequest{Topic: broadTopic, Agents: n(0)}, "exploratory", "medium", "auto", 1},
		{"too many agents", scope.PlanRequest{Topic: broadTopic, Agents: n(9)}, "exploratory", "medium", "auto", 3},
		{"five seats by name", scope.PlanRequest{Topic: broadTopic, Seats: []string{"a", "b", "c", "d", "e"}, Named: true}, "exploratory", "medium", "auto", 5},
		{"two agents of five seats by name", scope.PlanRequest{Topic: broadTopic, Seats: []string{"a", "b", "c", "d", "e"}, Named: true, Agents: n(2)}, "exploratory", "medium", "auto", 2},
		{"five seats that happen to be there", scope.PlanRequest{Topic: broadTopic, Seats: []string{"a", "b", "c", "d", "e"}}, "exploratory", "medium", "auto", 3},
		{"a single seat that is there", scope.PlanRequest{Topic: broadTopic, Seats: []string{"a"}}, "exploratory", "medium", "auto", 1},
	} {
		p, _, err := scope.NewPlan(c.wish)
		require.NoError(t, err, c.name)
		require.Equal(t, c.mode, p.Mode, c.name)
		require.Equal(t, c.budget, p.Budget, c.name)
		require.Equal(t, c.debate, p.Debate, c.name)
		require.Equal(t, c.agents, p.Agents, c.name)
		require.Len(t, p.Work, c.agents, c.name)
	}
}

func TestThePlanSaysWhatWasChangedAndWhy(t *testing.T) {
	for _, c := range []struct {
		name     string
		wish     scope.PlanRequest
		lowered  []string
		warnings []string
	}{
		{"nothing", scope.PlanRequest{Topic: broadTopic}, nil, nil},
		{"a narrow topic", scope.PlanRequest{Topic: narrowTopic}, []string{
			"budget low instead of medium: the topic is narrow (code only) and no --budget was given", "debate off: the budget is low",
		}, nil},
		{"low against three agents", scope.PlanRequest{Topic: broadTopic, Budget: "low", Agents: n(3)}, []string{"debate off: the budget is low", "one researcher instead of 3: the budget is low"}, nil},
		{"compliance", scope.PlanRequest{Topic: broadTopic, Mode: "compliance"}, []string{"debate force: the mode is compliance"}, nil},
		{"two seats", scope.PlanRequest{Topic: broadTopic, Seats: []string{"a", "b"}}, []string{"2 of 3 researchers: no more seats can take part"}, nil},
		{"unknown words", scope.PlanRequest{Topic: broadTopic, Mode: "x\x1b[2J", Debate: "y", Budget: "z", Agents: n(7)}, nil, []string{
			`--mode "x\x1b[2J" is unknown; exploratory is used (there is exploratory, compliance, decision)`,
			`--budget "z" is unknown; medium is used (there is medium, low, high)`,
			`--debate "y" is unknown; auto is used (there is auto, force, off)`,
			"--agents 7 is outside 1 to 3; 3 is used",
		}},
	} {
		p, warnings, err := scope.NewPlan(c.wish)
		require.NoError(t, err, c.name)
		require.Equal(t, c.lowered, p.Lowered, c.name)
		require.Equal(t, c.warnings, warnings, c.name)
	}
}

func TestWhatCannotBeStarted(t *testing.T) {
	_, _, err := scope.NewPlan(scope.PlanRequest{Topic: " \n"})
	require.ErrorIs(t, err, scope.ErrNoTopic)
	_, _, err = scope.NewPlan(scope.PlanRequest{Topic: broadTopic, Mode: "compliance", Debate: "off"})
	require.ErrorIs(t, err, scope.ErrNoDebate)
	_, _, err = scope.NewPlan(scope.PlanRequest{Topic: auditTopic, Debate: "off"})
	require.ErrorIs(t, err, scope.ErrNoDebate, "also where the wording made it compliance")
}

func TestShardsAreDealtOut(t *testing.T) {
	for _, c := range []struct {
		agents int
		want   string
	}{{1, "A+B+C"}, {2, "A+C B"}, {3, "A B C"}, {5, "A B C A B"}} {
		p, _, err := scope.NewPlan(scope.PlanRequest{Topic: broadTopic, Seats: strings.Split("v w x y z", " ")[:c.agents], Named: true})
		require.NoError(t, err)
		var shards []string
		for i, w := range p.Work {
			shards = append(shards, w.Shard)
			require.Equal(t, string("vwxyz"[i]), w.Seat)
		}
		require.Equal(t, c.want, strings.Join(shards, " "))
	}
	require.Empty(t, scope.Assign(0, nil))
	for _, s := range scope.Shards() {
		require.NotEmpty(t, s.Description)
		require.NotEmpty(t, s.Instructions)
	}
}

func TestNarrowTopicsGetAdvice(t *testing.T) {
	for topic, want := range map[string]scope.Narrowness{
		"Audit our logging":                   scope.AuditOnly,
		auditTopic:                            scope.AuditOnly,
		"Is our login compliant with ASVS 4?": scope.AuditOnly,
		"Суть такая: соответствует ли наш код ГОСТу?": scope.AuditOnly,
		"Compare Kafka with NATS":      scope.Comparison,
		"Postgres, MySQL or SQLite?":   scope.Comparison,
		"Should we use Kafka or NATS?": scope.Comparison,
		"我们应该使用 Kafka 还是 NATS？":        scope.Comparison,
		narrowTopic: scope.CodeOnly,
		"How does the cache work in this repository?": scope.CodeOnly,
		"Top 10 job queues for Go":                    scope.RankingOnly,
		"Die besten Editoren":                         scope.RankingOnly,
	} {
		advice := scope.Advise(topic)
		require.Len(t, advice, 1, topic)
		require.Equal(t, want, advice[0].Kind, topic)
		require.Regexp(t, "^Consider `[^`]+` .*\\. Continuing with broad research\\.\\.\\.$", advice[0].Text)
		require.Contains(t, advice[0].Text, advice[0].Command)
	}
	for _, topic := range []string{
		broadTopic, "", "Audit our logging, and how does the industry do it?", "Kafka, NATS, Pulsar, or RabbitMQ?",
		"How does our codebase compare with other projects?", "Should we rewrite the billing system?", "How do Kafka and NATS compare?",
	} {
		require.Empty(t, scope.Advise(topic), topic)
	}
}

func TestOptionsAreNamed(t *testing.T) {
	for topic, want := range map[string][]string{
		"Postgres or MySQL?":                         {"Postgres", "MySQL"},
		"Should we use Kafka, NATS or RabbitMQ?":     {"Kafka", "NATS", "RabbitMQ"},
		"Kafka vs. NATS for small teams":             {"Kafka", "NATS"},
		"Compare Google Cloud Run with AWS Fargate":  {"Google Cloud Run", "AWS Fargate"},
		"What is the difference between TCP and UDP": {"TCP", "UDP"},
		"C++ or C#?":                         {"C++", "C#"},
		"Sollen wir Kafka oder NATS nehmen?": {"Kafka", "NATS"},
		"Kafka还是NATS？":                       {"Kafka", "NATS"},
		"How does X work?":                   nil,
		"or":                                 nil,
		"":                                   nil,
		"the long story of a man who left home or the tale of his son": nil,
	} {
		require.Equal(t, want, scope.Options(topic), topic)
	}
}

func TestATopicsQuestions(t *testing.T) {
	for topic, want := range map[string][]string{
		broadTopic: {broadTopic},
		"How does it work and what are its limits?": {"How does it work and what are its limits?", "How does it work?", "what are its limits?"},
		"Is it safe? Is it fast?":                   {"Is it safe? Is it fast?", "Is it safe?", "Is it fast?"},
		"Find out:\n- cost\n- speed in Go 1.27\n":   {"Find out: - cost - speed in Go 1.27", "cost", "speed in Go 1.27"},
		"1) who\n2) when":                           {"1) who 2) when", "who", "when"},
		"Find out:\n1. latency in Go 1.27\n2. cost": {"Find out: 1. latency in Go 1.27 2. cost", "latency in Go 1.27", "cost"},
		"1. latency. 2. cost. Be brief.":            {"1. latency. 2. cost. Be brief.", "latency.", "cost."},
		"1. FC Berlin: who plays? Who trains?":      {"1. FC Berlin: who plays? Who trains?", "1. FC Berlin: who plays?", "Who trains?"},
		"5G or Wi-Fi 6? What does each cost?":       {"5G or Wi-Fi 6? What does each cost?", "5G or Wi-Fi 6?", "What does each cost?"},
		"2024. A year like others? Was it?":         {"2024. A year like others? Was it?", "A year like others?", "Was it?"},
		"Who and where is he?":                      {"Who and where is he?", "Who?", "where is he?"},
		"安全吗？快吗？":                                   {"安全吗？快吗？", "安全吗？", "快吗？"},
		"Cats. And dogs.":                           {"Cats. And dogs."},
		"Is it? Is it?":                             {"Is it? Is it?"},
		"Compare how each handles logs, snapshots and votes.": {
			"Compare how each handles logs, snapshots and votes.", "Compare how each handles logs.", "Compare how each handles snapshots.", "Compare how each handles votes.",
		},
		"How does each library handle large files, links, and file modes?": {
			"How does each library handle large files, links, and file modes?",
			"How does each library handle large files?", "How does each library handle links?", "How does each library handle file modes?",
		},
		"How does the scheduler handle work stealing, preemption, and timers?": {
			"How does the scheduler handle work stealing, preemption, and timers?",
			"How does the scheduler handle work stealing?", "How does the scheduler handle preemption?", "How does the scheduler handle timers?",
		},
		"How do I restart nginx, Apache and Caddy?":          {"How do I restart nginx, Apache and Caddy?"},
		"Compare Postgres, MySQL and SQLite.":                {"Compare Postgres, MySQL and SQLite."},
		"Which of them handles links, modes and owners?":     {"Which of them handles links, modes and owners?"},
		"We handle logs, votes and snapshots. Compare them.": {"We handle logs, votes and snapshots. Compare them."},
	} {
		var texts []string
		for i, q := range scope.QuestionsOf(topic) {
			require.Equal(t, "Q"+string(rune('1'+i)), q.ID)
			texts = append(texts, q.Text)
		}
		require.Equal(t, want, texts, topic)
	}
	require.Len(t, scope.QuestionsOf(strings.Repeat("a? b? c? d? e? f? g? h? i? j? k? l? m? n? ", 2)), 1+scope.MaxQuestions)
}

// Of several subjects or aspects each is asked about, and of a name that is a list, or of
// things that are asked about together, nothing is split.
func TestWhatIsListedIsAskedOneByOne(t *testing.T) {
	data, err := os.ReadFile("testdata/enumerations.txt")
	require.NoError(t, err)
	cases := 0
	for line := range strings.Lines(string(data)) {
		topic, parts, ok := strings.Cut(strings.TrimSpace(line), " | ")
		if !ok || line[0] == '#' {
			continue
		}
		cases++
		t.Run(topic, func(t *testing.T) {
			asked := scope.QuestionsOf(topic)
			if parts == "-" {
				require.Len(t, asked, 1, asked)
				return
			}
			list := strings.Split(parts, "; ")
			require.Len(t, asked, len(list)+1, asked)
			for i, q := range asked[1:] {
				for j, part := range list {
					require.Equal(t, i == j, strings.Contains(q.Text, part), q.Text)
				}
				require.Regexp(t, `[.?]$`, q.Text)
			}
		})
	}
	require.Greater(t, cases, 30)
}

func TestAnyWishIsSettledOrRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := scope.PlanRequest{
			Topic:  rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{broadTopic, narrowTopic, auditTopic, "Kafka or NATS?"})).Draw(t, "topic"),
			Mode:   rapid.SampledFrom([]string{"", "exploratory", "compliance", "decision", "x"}).Draw(t, "mode"),
			Debate: rapid.SampledFrom([]string{"", "auto", "force", "off", "x"}).Draw(t, "debate"),
			Budget: rapid.SampledFrom([]string{"", "low", "medium", "high", "x"}).Draw(t, "budget"),
			Seats:  rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}), 0, 5, rapid.ID[string]).Draw(t, "seats"),
			Named:  rapid.Bool().Draw(t, "named"),
		}
		if rapid.Bool().Draw(t, "agents given") {
			w.Agents = n(rapid.IntRange(-1, 5).Draw(t, "agents"))
		}
		p, _, err := scope.NewPlan(w)
		if err != nil {
			require.True(t, strings.TrimSpace(w.Topic) == "" || w.Debate == "off", "%v", err)
			return
		}
		require.Len(t, p.Work, p.Agents)
		require.GreaterOrEqual(t, p.Agents, 1)
		if len(w.Seats) > 0 {
			require.LessOrEqual(t, p.Agents, len(w.Seats))
		}
		if p.Mode == scope.Compliance {
			require.Equal(t, scope.Force, p.Debate)
		}
		if w.Budget == "low" {
			require.Equal(t, 1, p.Agents)
		}
		if w.Budget == "low" || w.Budget == "high" {
			require.Equal(t, scope.Budget(w.Budget), p.Budget, "a budget that was asked for is kept")
		}
		covered := map[string]bool{}
		for _, a := range p.Work {
			for _, s := range a.Shards {
				covered[s.ID] = true
			}
		}
		require.Len(t, covered, 3, "every shard is somebody's")
	})
}

func FuzzTopic(f *testing.F) {
	for _, s := range []string{broadTopic, "Kafka还是NATS？", "a or b or c?", "1. a\n2. b", "\xff or \xfe?", "and how", "vs"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, topic string) {
		require.Contains(t, scope.Modes(), scope.Classify(topic))
		require.LessOrEqual(t, len(scope.Advise(topic)), 1)
		for _, o := range scope.Options(topic) {
			require.NotEmpty(t, o)
		}
		questions := scope.QuestionsOf(topic)
		require.NotEmpty(t, questions)
		require.LessOrEqual(t, len(questions), 1+scope.MaxQuestions)
		for _, q := range questions {
			require.LessOrEqual(t, utf8.RuneCountInString(q.Text), scope.QuestionLimit)
		}
	})
}

// A question may be as long as a book; none of the rules may grow faster.
func BenchmarkResolve(b *testing.B) {
	for name, part := range map[string]string{
		"sentences": "How does the scheduler steal work from its neighbours? ", "abbreviations": "Kafka vs. ", "options": "this or that, ", "marks": "? ",
	} {
		topic := strings.Repeat(part, (256<<10)/len(part))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(topic)))
			for b.Loop() {
				if _, _, err := scope.NewPlan(scope.PlanRequest{Topic: topic}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
