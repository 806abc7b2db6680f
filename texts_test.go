package council_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/adrg/frontmatter"
	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/relation"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/evidence/score"
	identity "github.com/research-council/research-council/internal/evidence/source"
	"github.com/research-council/research-council/internal/evidence/vote"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"
)

// What skills and agents are told is what the program does: their numbers are
// held to its own, and what they point to is there.

const references = "skills/council-guide/references/"

// table reads the Markdown table of a file whose head begins with these
// columns: its rows without the head.
func table(t *testing.T, file, head string) [][]string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	_, after, found := strings.Cut(string(text), "\n| "+head+" |")
	require.True(t, found, "%s has a table that begins with %q", file, head)
	_, after, _ = strings.Cut(after, "\n") // the rest of the head
	_, after, _ = strings.Cut(after, "\n") // the line below it
	var rows [][]string
	for line := range strings.Lines(after) {
		if strings.TrimSpace(line) == "" {
			break
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	require.NotEmpty(t, rows, "%s, %q", file, head)
	return rows
}

// whichever is a cell where the program has no word.
func whichever[T ~string](s T) string {
	if s == "" {
		return "any"
	}
	return string(s)
}

func TestTheWeightsInTheTextAreTheProgramsOwn(t *testing.T) {
	rows := table(t, references+"scoring-model.md", "Signal")
	r := score.Measure(claim.Registry{}, score.Input{})
	require.Len(t, rows, len(r.Signals))
	for i, row := range rows {
		require.Equal(t, r.Signals[i].Name, row[0])
		for j, mode := range []scope.Mode{scope.Exploratory, scope.Compliance, scope.Decision} {
			require.Equal(t, strconv.Itoa(score.Weights(mode)[i]), row[2+j], "%s, %s", row[0], mode)
		}
	}
	require.Contains(t, rows[0][1], fmt.Sprintf("/ %d:", score.SourceTypes))
	require.Contains(t, rows[2][1], fmt.Sprintf("/ %d", len(scope.Dimensions())))
}

func TestTheCapsInTheTextAreTheProgramsOwn(t *testing.T) {
	rows := table(t, references+"scoring-model.md", "Researchers that failed")
	for failed := range 4 {
		for _, web := range []bool{true, false} {
			for _, only := range []bool{true, false} {
				fits := ""
				for _, row := range rows {
					if fits == "" && counted(row[0], failed) && said(row[1], web) && said(row[2], only) {
						fits = row[3]
					}
				}
				told, err := strconv.ParseFloat(fits, 64)
				require.NoError(t, err, "%d failed, web %t, code only %t", failed, web, only)
				r := score.Measure(claim.Registry{}, score.Input{Failed: failed, NoWeb: !web, CodeOnly: only})
				require.InDelta(t, r.Cap, told, 0, "%d failed, web %t, code only %t", failed, web, only)
			}
		}
	}
}

func counted(cell string, n int) bool {
	return cell == "any" || cell == strconv.Itoa(n) || cell == "2 or more" && n >= 2
}

func said(cell string, yes bool) bool { return cell == "any" || cell == "yes" == yes }

func TestTheGateInTheTextIsTheProgramsOwn(t *testing.T) {
	var gate, triggers [][]string
	for _, r := range score.Table() {
		gate = append(gate, []string{whichever(r.Score), whichever(r.Conflicts), whichever(r.Checked), string(r.Gate)})
	}
	for _, r := range score.Triggers() {
		triggers = append(triggers, []string{whichever(r.Mode), r.What})
	}
	const file = references + "scoring-model.md"
	require.Equal(t, gate, table(t, file, "Score"))
	require.Equal(t, triggers, table(t, file, "Mode | Trigger"))

	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, number := range []string{
		fmt.Sprintf("at least %d independent sources", score.Independent),
		fmt.Sprintf("fewer than %d types the final score is at most %.0f", score.TypesOverLimit, score.Limit),
	} {
		require.Contains(t, string(text), number)
	}
}

func TestTheDebatesInTheTextAreTheProgramsOwn(t *testing.T) {
	for _, row := range table(t, references+"scoring-model.md", "Mode | auto") {
		mode := scope.Mode(row[0])
		for i, debate := range []scope.Debate{scope.Auto, scope.Force, scope.Off} {
			_, _, refused := scope.NewPlan(scope.PlanRequest{Topic: "x", Mode: string(mode), Debate: string(debate)})
			gate := score.Measure(whole(), score.Input{Mode: mode, Debate: debate}).Gate
			disputed := whole()
			disputed.Conflicts = []claim.Conflict{{ID: "D1", A: disputed.Entries[0].ID, B: disputed.Entries[2].ID, Severity: claim.P0, Status: claim.Open}}
			risky := score.Measure(disputed, score.Input{Mode: mode, Debate: debate}).Gate
			switch row[1+i] {
			case "refused before anything starts":
				require.Error(t, refused, "%s, %s", mode, debate)
			case "triggers, then the table":
				require.Equal(t, []score.Gate{score.Report, score.Debate}, []score.Gate{gate, risky}, "%s, %s", mode, debate)
			default:
				require.NoError(t, refused)
				require.Equal(t, []score.Gate{score.Gate(row[1+i]), score.Gate(row[1+i])}, []score.Gate{gate, risky}, "%s, %s", mode, debate)
			}
		}
	}
}

// whole is a registry that lacks nothing.
func whole() claim.Registry {
	at := claim.Location{State: claim.Located}
	voted := &claim.Support{Verdict: claim.Supports, Votes: []claim.Vote{{Family: "rival", Answer: claim.Supports}}}
	return claim.Registry{
		Entries: []claim.Entry{
			{ID: "C1", Key: "a", Type: claim.Official, Critical: true, Questions: []string{"Q1"}, Location: at, Support: voted},
			{ID: "C2", Key: "b", Type: claim.Code, Location: at, Support: voted},
			{ID: "C3", Key: "c", Type: claim.Community, Pitfall: true, Location: at},
		},
		Groups: []claim.Group{{ID: "C1", Members: []string{"C1", "C2"}}},
	}
}

func TestTheShardsInTheTextAreTheProgramsOwn(t *testing.T) {
	const file = references + "research-roles.md"
	rows := table(t, file, "Shard")
	require.Len(t, rows, len(scope.Shards()))
	for i, s := range scope.Shards() {
		require.Equal(t, []string{s.ID, s.Name, string(s.Role)}, rows[i][:3])
	}
	for _, row := range table(t, file, "Researchers") {
		n, err := strconv.Atoi(row[0])
		require.NoError(t, err)
		var shards []string
		for _, w := range scope.Assign(n, nil) {
			shards = append(shards, w.Shard)
		}
		require.Equal(t, strings.Join(shards, ", "), row[1])
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), fmt.Sprintf("from 1 to %d", scope.MaxAgents))
}

func TestTheRegistryInTheTextIsTheProgramsOwn(t *testing.T) {
	const file = references + "claim-registry.md"
	var fields []string
	for f := range reflect.TypeFor[claim.Entry]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields = append(fields, name)
	}
	var told []string
	for _, row := range table(t, file, "Field") {
		told = append(told, row[0])
	}
	require.Equal(t, fields, told)

	for _, row := range table(t, file, "Kind") {
		s := identity.Identify(row[1])
		require.Equal(t, []string{string(s.Kind), s.Key}, []string{row[0], row[2]}, row[1])
	}
	var confidence, severity []string
	for _, row := range table(t, file, "Confidence") {
		confidence = append(confidence, row[0])
	}
	for _, row := range table(t, file, "Severity") {
		severity = append(severity, row[0])
	}
	require.Equal(t, []string{string(claim.High), string(claim.Medium), string(claim.Low)}, confidence)
	require.Equal(t, []string{string(claim.P0), string(claim.P1), string(claim.Minor)}, severity)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, word := range []string{
		string(claim.Official), string(claim.Standard), string(claim.Code), string(claim.Community),
		string(claim.Located), string(claim.NotFound), string(claim.Unchecked),
		string(claim.ByDate), string(claim.ByDefinition), string(claim.ByScope), string(claim.ByFact), string(claim.ByMethod), string(claim.ByAdvice),
		claim.Open, claim.ResolvedA, claim.ResolvedB, claim.StillDivergent, claim.Dismissed,
		string(relation.Same), string(relation.Narrower), string(relation.Contradicts), string(relation.Condition), string(relation.Unrelated), string(relation.Undecided),
		vote.Supports, vote.Qualifies, vote.Contradicts, claim.Undecided, claim.Unjudged, string(claim.Publication),
	} {
		require.Contains(t, string(text), "`"+word+"`")
	}
}

// What the text says of rules without a model is what they do.
func TestWhatTheTextCallsTheSameIsTheProgramsOwn(t *testing.T) {
	merged := func(one, other string) bool {
		r := claim.Merge(claim.Registry{Entries: []claim.Entry{
			{ID: "C1", Text: one, Key: "a", Source: "https://a.org/"}, {ID: "C2", Text: other, Key: "b", Source: "https://b.org/"},
		}})
		return len(r.Groups) == 1
	}
	require.True(t, merged("The apples are kept in three cold rooms.", "Apples are kept in 3 cold rooms"))
	require.False(t, merged("Apples are kept in three cold rooms.", "Apples are often kept in three cold rooms."), "one word more may decide")
	text, err := os.ReadFile(references + "claim-registry.md")
	require.NoError(t, err)
	require.Contains(t, string(text), "Two entries are the same when they stand in the same words")
}

// texts are the files Claude Code reads, and their front matter.
func texts(t *testing.T) map[string]map[string]any {
	t.Helper()
	all := map[string]map[string]any{}
	for _, pattern := range []string{"skills/*/SKILL.md", "agents/*.md", "commands/*.md"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, f := range files {
			text, err := os.ReadFile(f)
			require.NoError(t, err)
			matter := map[string]any{}
			body, err := frontmatter.MustParse(bytes.NewReader(text), &matter)
			require.NoError(t, err, f)
			require.NotEmpty(t, strings.TrimSpace(string(body)), f)
			all[f] = matter
		}
	}
	return all
}

func TestFrontMatterIsComplete(t *testing.T) {
	for file, matter := range texts(t) {
		description, _ := matter["description"].(string)
		require.NotEmpty(t, description, file)
		require.LessOrEqual(t, len([]rune(description)), 1536, "%s: the host cuts longer ones", file)
		if !strings.HasPrefix(file, "commands/") {
			named := strings.TrimSuffix(filepath.Base(strings.TrimSuffix(file, "/SKILL.md")), ".md")
			require.Equal(t, named, matter["name"], file)
		}
	}
}

func TestWhatTextsPointToIsThere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]+)\)`)
	rooted := regexp.MustCompile(`\$\{CLAUDE_PLUGIN_ROOT\}/([a-z0-9/._-]+)`)
	command := regexp.MustCompile(`/research-council:([a-z-]+)`)
	files, err := filepath.Glob("skills/*/references/*.md")
	require.NoError(t, err)
	for f := range texts(t) {
		files = append(files, f)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			require.FileExists(t, filepath.Join(filepath.Dir(f), m[1]), f)
		}
		for _, m := range rooted.FindAllStringSubmatch(string(text), -1) {
			if !strings.HasPrefix(m[1], "bin/") { // which is built
				require.FileExists(t, m[1], f)
			}
		}
		for _, m := range command.FindAllStringSubmatch(string(text), -1) {
			require.FileExists(t, "commands/"+m[1]+".md", f)
		}
	}
}

func TestTheRolesHaveTheirParts(t *testing.T) {
	for file, parts := range map[string][]string{
		"agents/researcher.md":       {"## Your Assignment", "${ROLE}", "${TOPIC}", "${SHARD_DESCRIPTION}", "## Research Instructions", "${ROLE_SPECIFIC_INSTRUCTIONS}", "`deep_researcher_start`", "## Required Output Format", "200 to 500 words", "### Findings", "Three to five", "### Sources", "### Contradictions", "### Open Questions", "follow up", "## Rules"},
		"agents/synthesizer.md":      {"## Inputs", "${AGENT_A_OUTPUT}", "${AGENT_B_OUTPUT}", "${AGENT_C_OUTPUT}", "## Tasks", "1. ", "2. ", "3. ", "4. ", "5. ", "6. ", "7. ", "## Output"},
		"agents/repo-analyst.md":     {"## How to look", "## What to return", "200 to 500 words", "**Places**", "`path:first-last`", "**Patterns**", "**Relevance**"},
		"agents/latex-compiler.md":   {"never edit", "`council pdf FILE.tex`", "No engine is installed", "Return: "},
		"agents/plan-architect.md":   {"## What to return", "**Proposals**", "claims by id", "**New claims**", "**Blockers**"},
		"agents/plan-critic.md":      {"## Aspects", "`research`", "`support`", "`omission`", "`feasibility`", "`defensibility`", "## What to return", "`blocker`", "`concern`", "`suggestion`"},
		"agents/autonomous-coder.md": {"**Red.**", "**Green.**", "**Whole suite.**", "No commit", "## What to return"},
		"agents/validator.md":        {"## Disputed Claims", "${DIVERGENCE_LIST}", "## Instructions", "1. ", "2. ", "3. ", "4. ", "## Output per claim"},
	} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		rest := string(text)
		for _, part := range parts {
			_, after, found := strings.Cut(rest, part)
			require.True(t, found, "%s: %q, in its order", file, part)
			rest = after
		}
	}
}

// What a role is asked to write can be read.
func TestTheLinesThatRolesShowAreRead(t *testing.T) {
	line := func(file string, place, of int) *strings.Reader {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		shown := regexp.MustCompile(`(?m)^\{".*\}$`).FindAllString(string(text), -1)
		require.Len(t, shown, of, file)
		return strings.NewReader(shown[place])
	}
	drafts, refused := claim.Decode(line("agents/researcher.md", 0, 1), "s", "research")
	require.Empty(t, refused)
	require.Equal(t, "verbatim words from there", drafts[0].Quote)
	require.Equal(t, claim.Official, drafts[0].Type)
	rulings, refused := vote.DecodeRulings(line("agents/validator.md", 0, 1), "s", "f")
	require.Empty(t, refused)
	require.Equal(t, claim.ResolvedA, rulings[0].Verdict)

	ballots, refused := vote.Decode(line("prompts/support.md", 0, 1), "s", "f")
	require.Empty(t, refused)
	require.Equal(t, vote.Qualifies, ballots[0].Answer)
	positions, refused := vote.DecodePositions(line("prompts/debate.md", 1, 2), "s", "f")
	require.Empty(t, refused)
	drafts, refused = claim.Decode(line("prompts/debate.md", 0, 2), "s", "debate")
	require.Empty(t, refused)
	require.Equal(t, "n1", drafts[0].Handle, "a debater may argue from it")
	require.Equal(t, []vote.Argument{{Claim: "C4", Because: "it measures the released version"}}, positions[0].Arguments)
}

// campaignCommands are those of the slash commands that are one iteration.
func campaignCommands() []string {
	commands := []string{"continue-auto"}
	for _, m := range campaign.Modes() {
		commands = append(commands, string(m))
	}
	return commands
}

// A loop feeds these again, by the Skill tool too, so that the model may call
// them; and what they may do without asking is what an iteration needs.
func TestTheCommandsOfCampaignsCanBeFedAgain(t *testing.T) {
	all := texts(t)
	for _, name := range campaignCommands() {
		file := "commands/" + name + ".md"
		matter := all[file]
		require.NotEmpty(t, matter, file)
		require.NotContains(t, matter, "disable-model-invocation", file)
		require.Contains(t, matter["description"], "Costs money", "%s: the model is told not to start it by itself", file)
		body, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Contains(t, string(body), "council campaign begin "+name+" --arguments - <<'ARGUMENTS'\n", file)
		require.Equal(t, 1, strings.Count(string(body), "$ARGUMENTS"), "%s: the arguments stand once, as data", file)

		allowed, _ := matter["allowed-tools"].(string)
		rules := strings.Split(allowed, ", ")
		for _, rule := range []string{"Bash(council campaign begin:*)", "Bash(council campaign end:*)", "Agent", "Read", "mcp__plugin_research-council_desk", "WebSearch", "WebFetch"} {
			require.Contains(t, rules, rule, file)
		}
		for _, rule := range rules {
			require.NotContains(t, []string{"Bash", "Bash(*)", "Bash(council:*)", "Bash(council campaign:*)", "Write", "Edit"}, rule, "%s: nobody's leave is too much", file)
			require.NotContains(t, rule, "campaign run", "%s: a headless campaign may be told to ask nobody", file)
		}
		builds := name == "continue-auto" || slices.Contains(campaign.Mode(name).Phases(), campaign.PhaseC)
		require.Equal(t, builds, slices.Contains(rules, "Edit(/**)"), "%s: only code is written in the project", file)
		require.Equal(t, !builds, slices.Contains(rules, "Edit(/research/**)"), file)
	}
}

// Arguments are never pasted into a shell line.
func TestNoCommandRunsAShellLine(t *testing.T) {
	for file := range texts(t) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NotRegexp(t, "(?m)(^|\\s)!`", string(text), file)
	}
}

func TestTheHostCallsTheHookForEachCampaignCommand(t *testing.T) {
	data, err := os.ReadFile("hooks/hooks.json")
	require.NoError(t, err)
	var file struct {
		Hooks map[string][]struct{ Matcher string }
	}
	require.NoError(t, json.Unmarshal(data, &file))
	var matched []string
	for _, group := range file.Hooks["UserPromptExpansion"] {
		matched = append(matched, group.Matcher)
	}
	for _, name := range campaignCommands() {
		require.Contains(t, matched, "research-council:"+name)
	}
	require.NotContains(t, matched, "research-council:help", "it is answered from its text")
}

// The desk the plugin starts is one the commands and subagents name.
func TestThePluginStartsTheDeskOfASession(t *testing.T) {
	data, err := os.ReadFile(".claude-plugin/plugin.json")
	require.NoError(t, err)
	var manifest struct {
		Name    string
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	require.NoError(t, json.Unmarshal(data, &manifest))
	require.Len(t, manifest.Servers, 1)
	for name, server := range manifest.Servers {
		require.Equal(t, "${CLAUDE_PLUGIN_ROOT}/bin/council", server.Command)
		require.Equal(t, []string{"desk", "--session"}, server.Args)
		tools := "mcp__plugin_" + manifest.Name + "_" + name
		for _, file := range []string{"agents/researcher.md", "agents/repo-analyst.md", "commands/research.md"} {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Contains(t, string(text), tools, file)
		}
	}
}

func TestThePhasesInTheTextAreTheProgramsOwn(t *testing.T) {
	letter := func(p campaign.Phase) string { return strings.TrimPrefix(strings.Split(string(p), ":")[0], "Phase ") }
	const file = "skills/autonomous-workflow-guide/references/phases.md"
	var rows [][]string
	for _, m := range campaign.Modes() {
		var phases []string
		for _, p := range m.Phases() {
			phases = append(phases, letter(p))
		}
		rows = append(rows, []string{string(m), strings.Join(phases, ", "), strconv.Itoa(m.Iterations())})
	}
	require.Equal(t, rows, table(t, file, "mode"))
	help := table(t, "commands/help.md", "command")
	for i, m := range campaign.Modes() {
		require.Contains(t, help[i][0], "/research-council:"+string(m)+" '")
		require.Equal(t, strconv.Itoa(m.Iterations()), help[i][2])
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, p := range []campaign.Phase{campaign.PhaseA, campaign.PhaseB, campaign.PhaseC} {
		require.Contains(t, string(text), "**"+string(p)+".**")
	}
	require.Contains(t, string(text), fmt.Sprintf("fewer than %d new located findings", campaign.PoorBelow))
	require.Contains(t, string(text), fmt.Sprintf("%d attempts in all", feature.Attempts))
}

// Every option a campaign's command hints at is one it takes.
func TestTheHintsNameOptionsThereAre(t *testing.T) {
	all := texts(t)
	var known []string
	for _, f := range request.CampaignFlags() {
		known = append(known, f.Name)
	}
	option := regexp.MustCompile(`--([a-z-]+)`)
	for _, name := range campaignCommands() {
		hint, _ := all["commands/"+name+".md"]["argument-hint"].(string)
		require.Contains(t, hint, "name'", name)
		for _, m := range option.FindAllStringSubmatch(hint, -1) {
			require.Contains(t, known, m[1], name)
		}
	}
}
