package export_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/provenance"
	"github.com/research-council/research-council/internal/evidence/score"
	"github.com/research-council/research-council/internal/evidence/vote"
	"github.com/research-council/research-council/internal/output/export"
	"github.com/research-council/research-council/internal/output/report"
)

var update = flag.Bool("update", false, "write the report of the example anew")

// exampleFolder has a council of three as its run has left it, and its report.
const exampleFolder = "../../../docs/examples/council"

// exampleFile reads a file of the example.
func exampleFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(exampleFolder, name))
	require.NoError(t, err)
	return data
}

// example is the publication of the example, of its registry, its synthesis and what is
// known of the run.
func example(t testing.TB) (report.Final, export.Publication) {
	t.Helper()
	var run struct {
		Final      report.Final
		Sources    map[string]export.Source
		Course     []export.Stage
		Uses       []status.Use
		ScoreInput score.Input
		Maker      string
	}
	require.NoError(t, json.Unmarshal(exampleFile(t, "run.json"), &run))
	f := run.Final
	require.NoError(t, json.Unmarshal(exampleFile(t, "registry.json"), &f.Registry))
	f.Topic, f.Draft = strings.TrimSpace(string(exampleFile(t, "question.md"))), exampleFile(t, "synthesis.md")
	result := score.Measure(f.Registry, run.ScoreInput)
	f.Score, f.Sources = &result, map[string]report.SourceLine{}
	for key, s := range run.Sources {
		f.Sources[key] = report.SourceLine{Title: s.Title, State: s.State, Fetched: s.Fetched}
	}
	return f, export.Publication{
		Report: provenance.Markdown(report.Render(f), f.ID), ID: f.ID, Topic: f.Topic, Written: f.Ended, Maker: run.Maker,
		Registry: f.Registry, Score: f.Score, Sources: run.Sources, Course: run.Course, Uses: run.Uses,
	}
}

// The report of the example is what the program makes of it: short enough to be read,
// small enough to be sent, and of one piece.
func TestTheReportOfTheExample(t *testing.T) {
	f, p := example(t)
	page := write(t, p, export.HTML)
	for name, made := range map[string]string{
		"final-report.md": string(p.Report), "final-report.html": page, "disputes.md": vote.DisputesPaper(f.Registry, nil, nil),
	} {
		if *update {
			require.NoError(t, os.WriteFile(filepath.Join(exampleFolder, name), []byte(made), 0o644))
		}
		require.True(t, made == string(exampleFile(t, name)), "%s is not what the program makes: go test ./internal/output/export -run Example -update", name)
	}
	require.LessOrEqual(t, len(page), 400_000, "bytes of the page")
	require.NotContains(t, page, "is in final-report.md.</p>\n<p class=\"note\">")
	body, _, found := strings.Cut(string(p.Report), "\n---\n")
	require.True(t, found)
	require.LessOrEqual(t, words.Count(regexp.MustCompile(`\]\([^)\s]*(?: "[^"]*")?\)`).ReplaceAllString(body, "]")), report.MaxBodyWords)
	require.NotRegexp(t, `<ul class="rests-on">(?:<li><a .*?</li>)*<li>C`, page, "what a conclusion rests on can be followed")
	for _, link := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(page, -1) {
		require.Contains(t, page, ` id="`+link[1]+`"`, "a link that leads nowhere")
	}
}

var (
	citedInText = regexp.MustCompile(`\[\\\[(\d+)\\\]\]\(#(c\d+)`)
	citedOnPage = regexp.MustCompile(`<a [^>]*href="#(c\d+)"[^>]*>(\d+)</a>`)
)

// Sources have their numbers in the order in which they are read, in the text and on
// the page alike.
func TestSourcesAreNumberedAsTheyAreRead(t *testing.T) {
	_, p := example(t)
	numbers, highest := map[string]map[string]bool{}, 0
	for _, m := range citedInText.FindAllStringSubmatch(string(p.Report), -1) {
		n, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		require.LessOrEqual(t, n, highest+1, m[0])
		highest = max(highest, n)
		if numbers[m[2]] == nil {
			numbers[m[2]] = map[string]bool{}
		}
		numbers[m[2]][m[1]] = true
	}
	require.Greater(t, highest, 10)
	onPage := citedOnPage.FindAllStringSubmatch(write(t, p, export.HTML), -1)
	require.Greater(t, len(onPage), highest)
	for _, m := range onPage {
		require.Contains(t, numbers[m[1]], m[2], "%s is cited otherwise in the text", m[1])
	}
}

var (
	countedInText = regexp.MustCompile(`(\d+) claims?; quotations located (\d+), not found (\d+), not checked (\d+)(?:; (\d+) conclusions? drawn)?`)
	countedOnPage = regexp.MustCompile(`Rests on (\d+) claims? from [^:]*: quotations located (\d+), not found (\d+), not checked (\d+)(?:; (\d+) conclusions? drawn)?`)
	rejectedOnes  = regexp.MustCompile(`(?m)^- C\d+(?:, said by [^“]*)?: “`)
	moreRejected  = regexp.MustCompile(`rejected after checking (\d+)\.`)
)

// What one part of a report counts, another counts alike.
func TestTheFiguresOfAReportAgree(t *testing.T) {
	agree := func(t require.TestingT, p export.Publication) {
		page := write(t, p, export.HTML)
		text := countedInText.FindStringSubmatch(string(p.Report))
		if text == nil {
			require.Contains(t, page, "No claim was recorded")
			return
		}
		require.Equal(t, text[1:], countedOnPage.FindStringSubmatch(page)[1:])
		require.Equal(t, moreRejected.FindStringSubmatch(page)[1], strconv.Itoa(len(rejectedOnes.FindAllString(string(p.Report), -1))))
	}
	_, p := example(t)
	agree(t, p)
	rapid.Check(t, func(t *rapid.T) {
		reg := anyRegistry().Draw(t, "registry")
		for i := range reg.Entries {
			if rapid.IntRange(0, 5).Draw(t, "withdrawn") == 0 {
				reg.Entries[i].Location = claim.Location{State: claim.Withdrawn, Reason: "it was of another year"}
			}
		}
		agree(t, publication("", reg))
	})
}

// A page that is cut short leads nowhere that was cut off.
func TestNothingOnAPageThatIsCutShortLeadsNowhere(t *testing.T) {
	f, p := example(t)
	for i := range 1500 {
		at := fmt.Sprintf("https://pages.invalid/%d", i)
		f.Registry.Entries = append(f.Registry.Entries, claim.Entry{
			ID: fmt.Sprintf("C%d", 5000+i), Seats: []string{"ada"}, Text: fmt.Sprintf("Of the %d libraries one elects a leader; %s", i, strings.Repeat("it is as old as its log. ", 12)),
			Quote: fmt.Sprintf("library %d elects", i), Source: at, Location: claim.Location{State: claim.NotFound, Reason: "the source does not hold these words"},
		})
	}
	p.Registry, p.Report = f.Registry, provenance.Markdown(report.Render(f), f.ID)
	page := write(t, p, export.HTML)
	require.Contains(t, page, "What is not shown of this section is in final-report.md.")
	places := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		require.False(t, places[m[1]], "%s is there twice", m[1])
		places[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(page, -1) {
		require.True(t, places[m[1]], "%s is not there", m[1])
	}
}

// BenchmarkReport renders the report of the example: what its synthesis and its
// registry of some two hundred claims come to.
func BenchmarkReport(b *testing.B) {
	f, _ := example(b)
	for b.Loop() {
		report.Render(f)
	}
}
