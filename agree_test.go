package council_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/agents"
	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/prompt"
	"github.com/research-council/research-council/internal/engine/hook"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/quote"
	"github.com/research-council/research-council/internal/output/report"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"
	"github.com/research-council/research-council/prompts"
)

// What prompts ask for is what the program takes: the two are written in
// different rooms that do not know each other.

// Whoever quotes is told one thing about it, which is what the program does.
func TestPromptsAndDeskSpeakOfQuotationsAlike(t *testing.T) {
	for _, name := range []string{"research", "refinement", "validation", "collection"} {
		text, err := prompts.Text(name)
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(text, "{quoting}"), name)
		for _, other := range []string{"eight words", "ellips", "left out", "verbatim quotation"} {
			require.NotContains(t, text, other, name)
		}
	}
	require.Contains(t, quote.QuotingRule, `within a sentence a "not"`)
	_, ok := quote.Find("The cache is not safe.", "The cache is … safe.")
	require.False(t, ok)
	_, ok = quote.Find("The cache holds every key. It was not planned so. It is safe.", "The cache holds every key. … It is safe.")
	require.True(t, ok)
}

func TestTheHookKnowsWhereACampaignsPapersAre(t *testing.T) {
	require.Equal(t, campaign.FolderPrefix, hook.CampaignFolderPrefix)
}

func TestTheSynthesisIsAskedForTheHeadingsItIsHeldTo(t *testing.T) {
	text, err := prompts.Text("synthesis")
	require.NoError(t, err)
	const made = "Comprehensive Source List" // by the program, from the ids
	require.Contains(t, report.Council.Headings(), made)
	for _, heading := range report.Council.Headings() {
		if heading == made {
			continue
		}
		_, after, found := strings.Cut(text, ". **"+heading+"**")
		require.True(t, found, "%q is asked for, in its order", heading)
		text = after
	}
	require.NotContains(t, text, ". **", "no further heading is asked for")
}

func TestTheClaimThatPromptsShowIsAClaim(t *testing.T) {
	for _, name := range []string{"research", "refinement"} {
		text, err := prompts.Text(name)
		require.NoError(t, err)
		var shown []string
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "{") && strings.Contains(line, "quote") {
				shown = append(shown, line)
			}
		}
		require.Len(t, shown, 1, name)
		drafts, refused := claim.Decode(strings.NewReader(shown[0]), "claude", name)
		require.Empty(t, refused, name)
		require.Len(t, drafts, 1, name)
		require.Equal(t, "verbatim words from the source", drafts[0].Quote)
	}
}

// iterations are the prompts of campaigns, filled for a worker that reads and
// writes files alone.
func iterations(t *testing.T) map[string]string {
	t.Helper()
	v := prompt.Values{Campaign: prompt.Campaign{
		Name: "cache", Mode: string(campaign.FullAuto), Phase: string(campaign.PhaseB), Iteration: 2, Iterations: 100,
		Folder: "/app/docs/research-cache", Records: "/run", Record: "/run/record.md", Subagents: true,
		Feature: prompt.Feature{ID: "F002", Name: "Expiry", Description: "Entries expire."},
	}}
	texts := map[string]string{}
	for role, ask := range map[string]func(prompt.Values) (string, error){
		agent.Explore: prompt.Explore, agent.Conclude: prompt.Conclude, agent.Design: prompt.Design,
		agent.Critique: prompt.Critique, agent.Breakdown: prompt.Breakdown, agent.Code: prompt.Code,
	} {
		text, err := ask(v)
		require.NoError(t, err, role)
		texts[role] = text
	}
	return texts
}

// shown are the JSON objects of a text that hold a word, on lines of their own
// or between backquotes.
func shown(text, word string) string {
	var found []string
	for _, m := range regexp.MustCompile("(?m)^\\{.*\\}$|`\\{[^`]*\\}`").FindAllString(text, -1) {
		if m = strings.Trim(m, "`"); strings.Contains(m, word) {
			found = append(found, m)
		}
	}
	return strings.Join(found, "\n")
}

func TestTheIssuesThatPromptsShowAreIssues(t *testing.T) {
	all := iterations(t)
	critic, err := os.ReadFile("agents/plan-critic.md")
	require.NoError(t, err)
	records, err := os.ReadFile("skills/autonomous-workflow-guide/references/records.md")
	require.NoError(t, err)
	reading := func(plan string) campaign.Reading {
		return campaign.Reading{By: "critic", Plan: []byte(plan), Hash: plan, Known: func(id string) bool { return id == "C3" }}
	}
	for where, text := range map[string]string{
		agent.Critique: all[agent.Critique], "agents/plan-critic.md": string(critic), "records.md": string(records),
	} {
		raised := shown(text, `"severity"`)
		require.NotEmpty(t, raised, where)
		two := raised + "\n" + strings.ReplaceAll(raised, `"text": "`, `"text": "another: `) // so that there is a B2
		before := campaign.ReadIssues(nil, []byte(two), reading("the plan"))
		require.Empty(t, before.Refused, where)
		closing := shown(text, `"resolves"`)
		words := gjson.Get(closing, "evidence|@reverse|0").String() // of the plan
		after := campaign.ReadIssues(before.Issues, []byte(closing), reading(words))
		require.Empty(t, after.Refused, where)
		require.Len(t, after.Issues, 2, where)
		require.Nil(t, after.Issues[0].Closed, where)
		require.NotNil(t, after.Issues[1].Closed, "%s: a critic's line closes", where)
	}
}

func TestTheQuestionsThatPromptsShowAreQuestions(t *testing.T) {
	questions, refused := campaign.DecodeQuestions(strings.NewReader(shown(iterations(t)[agent.Explore], `"question":`)))
	require.Empty(t, refused)
	require.Len(t, questions, 1, "the second line closes what the first has opened")
	require.Equal(t, []string{"C12"}, questions[0].Answered)
}

func TestTheFeatureThatPromptsShowIsOneThatIsHandedIn(t *testing.T) {
	claimed, err := campaign.DecodeCoderNote([]byte(shown(iterations(t)[agent.Code], `"claims":`)))
	require.NoError(t, err)
	require.Equal(t, "F002", claimed.ID)
}

// A list that is copied from the prompt as it stands is refused; with values
// in the place of the dots it is taken.
func TestTheFeatureListThatPromptsShowIsFilledInFirst(t *testing.T) {
	list := shown(iterations(t)[agent.Breakdown], `"features":`)
	_, err := feature.Parse([]byte(list))
	require.Error(t, err)
	one := strings.Replace(list, `"name": …, "description": …, "component": …`, `"name": "a", "description": "b", "component": "c"`, 1)
	filled := strings.Replace(one, `"id": "F002", …`, `"id": "F002", "name": "d", "description": "e", "component": "f"`, 1)
	parsed, err := feature.Parse([]byte(filled))
	require.NoError(t, err)
	require.Len(t, parsed.Features, 2)
}

// Every file of prose that a prompt asks for is a section the program knows,
// and none it knows is left out.
func TestTheSectionsThatPromptsAskForAreTheProgramsOwn(t *testing.T) {
	all := iterations(t)
	file := regexp.MustCompile("(?m)^- `([a-z<>-]+)\\.md`")
	for role, want := range map[string][]string{agent.Conclude: campaign.ReportSections(), agent.Design: campaign.PlanSections()} {
		kind := map[string]string{agent.Conclude: "report", agent.Design: "plan"}[role]
		var asked []string
		for _, m := range file.FindAllStringSubmatch(all[role], -1) {
			name := strings.Replace(m[1], "<name>", "store", 1)
			_, err := campaign.SectionKey(kind, name)
			require.NoError(t, err, name)
			if name == "component-store" {
				name = "components" // the place of all of them
			}
			asked = append(asked, name)
		}
		require.Equal(t, want, asked, "%s: in the program's order", role)
	}
	require.Contains(t, all[agent.Explore], "/sections/report/analysis.md`")
}

// Subagents that prompts name are there.
func TestTheSubagentsThatPromptsNameAreThere(t *testing.T) {
	named := regexp.MustCompile("`(researcher|repo-analyst|plan-[a-z]+|autonomous-[a-z]+)`")
	var known []string
	list, err := agents.All()
	require.NoError(t, err)
	for _, a := range list {
		known = append(known, a.Name)
	}
	all := iterations(t)
	for role, text := range all {
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			require.Contains(t, known, m[1], role)
		}
	}
	require.Regexp(t, named, all[agent.Design])
}
