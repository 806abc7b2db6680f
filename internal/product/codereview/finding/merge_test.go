package finding_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/product/codereview/finding"
)

// said is a finding as one reviewer says it; its code stands in the file.
func said(reviewer, family, file string, line int, category, title string) finding.Finding {
	return finding.Finding{
		ID: "L1", Kind: finding.KindOf(reviewer), Reviewer: reviewer, Seat: "seat-" + family, Family: family, Batch: 1,
		Severity: finding.Moderate, Confidence: finding.Medium, File: file, Line: line, EndLine: line, Category: category,
		Title: title, Description: "Nothing looks at it before it is used.", Code: "x := f()", State: finding.Located,
	}
}

func titles(list []finding.Merged) []string {
	var all []string
	for _, m := range list {
		all = append(all, m.Title)
	}
	return all
}

func TestWhatIsTheSameFinding(t *testing.T) {
	const hunter, auditor, inspector = "bug-hunter", "security-auditor", "error-inspector"
	ignored := said(inspector, "one", "a.go", 10, "unchecked-error", "Error of os.Open is ignored")
	for _, c := range []struct {
		name   string
		other  finding.Finding
		change func(a, b *finding.Finding)
		same   bool
	}{
		{"one place, kind and category, however it is put", said(inspector, "two", "a.go", 10, "unchecked-error", "The file may be nil"), nil, true},
		{"the next line", said(inspector, "two", "a.go", 11, "unchecked-error", "The file may be nil"), nil, true},
		{"the line after the next", said(inspector, "two", "a.go", 12, "unchecked-error", "Error of os.Open is ignored"), nil, false},
		{
			"a longer quotation around it", said(inspector, "two", "a.go", 3, "unchecked-error", "The file may be nil"),
			func(_, b *finding.Finding) { b.EndLine = 30 }, true,
		},
		{"another file", said(inspector, "two", "b.go", 10, "unchecked-error", "Error of os.Open is ignored"), nil, false},
		{"another kind that means the same", said(hunter, "two", "a.go", 10, "nil-dereference", "os.Open: its error is not checked"), nil, true},
		{"another kind that means another thing", said(hunter, "two", "a.go", 10, "race", "Two goroutines write to the map at once"), nil, false},
		{"the same words, denied", said(hunter, "two", "a.go", 10, "logging", "Error of os.Open is wrapped"), nil, false},
		{
			"other numbers", said(hunter, "two", "a.go", 10, "bounds", "Index 4 of the list of readers is read"),
			func(a, _ *finding.Finding) { a.Title = "Index 5 of the list of readers is read" }, false,
		},
		{
			"no category says nothing", said(inspector, "two", "a.go", 10, finding.Uncategorised, "Two goroutines write to the map at once"),
			func(a, _ *finding.Finding) { a.Category = finding.Uncategorised }, false,
		},
		{
			"the same weakness", said(auditor, "two", "a.go", 10, "path-traversal", "Users choose which file is read"),
			func(a, b *finding.Finding) { a.CWE, b.CWE = "CWE-22", "CWE-22" }, true,
		},
		{
			"code that is not in the file leans on none that is", said(inspector, "two", "a.go", 10, "unchecked-error", "Error of os.Open is ignored"),
			func(_, b *finding.Finding) { b.State = finding.Missing }, false,
		},
		{"one reviewer means two by two", said(inspector, "one", "a.go", 11, "unchecked-error", "Error of os.Open is ignored"), nil, false},
		{"but not when it repeats itself", said(inspector, "one", "a.go", 10, "unchecked-error", "The error of os.Open goes nowhere"), nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := ignored, c.other
			if c.change != nil {
				c.change(&a, &b)
			}
			got := finding.Merge([]finding.Finding{a, b})
			if c.same {
				require.Len(t, got, 1, titles(got))
				require.Len(t, got[0].Members, 2)
				return
			}
			require.Len(t, got, 2)
		})
	}
}

func TestMoreVoicesMakeAFindingSurerAndNotGraver(t *testing.T) {
	a := said("bug-hunter", "one", "a.go", 10, "bounds", "n is out of range")
	b := said("bug-hunter", "two", "a.go", 10, "bounds", "n is out of range")
	b.Severity, b.Confidence = finding.Minor, finding.Low
	m := finding.Merge([]finding.Finding{b, a})[0]
	require.Equal(t, finding.Moderate, m.Severity)
	require.Equal(t, finding.High, m.Confidence, "Medium, and another says it too")
	require.Equal(t, []string{"one", "two"}, m.Families)
	require.Equal(t, []string{"bug-hunter"}, m.Reviewers)
	require.Equal(t, "bug-hunter", m.SeverityBy)

	again := a
	again.Title = "n is len(list)"
	m = finding.Merge([]finding.Finding{a, again})[0]
	require.Equal(t, finding.Medium, m.Confidence, "saying it twice is one voice")
}

func TestTheSeverityIsOfOneWhoseCodeIsThere(t *testing.T) {
	a, b := said("bug-hunter", "one", "a.go", 10, "bounds", "n is out of range"), said("bug-hunter", "two", "a.go", 10, "bounds", "n is out of range")
	b.Severity, b.State = finding.Critical, finding.Missing
	got := finding.Merge([]finding.Finding{a, b})
	require.Len(t, got, 2)
	got = finding.Apply(got, []finding.Judgement{{ID: got[0].ID, Verdict: finding.SaysDuplicate, Of: got[1].ID, Reason: "the same"}})
	require.Len(t, got, 1)
	require.Equal(t, finding.Moderate, got[0].Severity)
	require.Equal(t, finding.Medium, got[0].Confidence)
}

func TestThePatternIsPointedAtAndNotMerged(t *testing.T) {
	var list []finding.Finding
	for i := range 14 {
		list = append(list, said("error-inspector", "one", "pkg/a.go", 10*i+1, "unchecked-error", "Error is ignored"))
	}
	list = append(list, said("error-inspector", "one", "other/a.go", 10, "unchecked-error", "Error is ignored"))
	got := finding.Merge(list)
	require.Len(t, got, 15)
	ids := map[string]bool{}
	for _, m := range got {
		require.False(t, ids[m.ID])
		ids[m.ID] = true
		if m.File == "other/a.go" {
			require.Empty(t, m.Also)
			continue
		}
		require.Len(t, m.Also, 10)
		require.Equal(t, 3, m.AlsoMore)
		require.NotContains(t, m.Also, m.Place())
	}
}

func TestAFindingIsKnownAgainAfterTheFileHasChanged(t *testing.T) {
	a := said("bug-hunter", "one", "a.go", 10, "bounds", "n is out of range")
	before := finding.Merge([]finding.Finding{a})[0]
	a.Line, a.EndLine, a.Code, a.Title, a.Severity = 55, 55, "\t\tx := f()\r", "Another way to say it", finding.Critical
	after := finding.Merge([]finding.Finding{a})[0]
	require.Equal(t, before.Fingerprint, after.Fingerprint)
	require.Equal(t, before.ID, after.ID)
	a.Code = "x := g()"
	require.NotEqual(t, before.Fingerprint, finding.Merge([]finding.Finding{a})[0].Fingerprint)
}

// some are findings in few places, so that many meet.
func some(t *rapid.T) []finding.Finding {
	words := []string{"Error of os.Open is ignored", "os.Open: error not checked", "Index n is out of range", "Index 3 is out of range", "Map is written by two goroutines", "x"}
	one := rapid.Custom(func(t *rapid.T) finding.Finding {
		f := said(
			rapid.SampledFrom(finding.Reviewers()).Draw(t, "reviewer"), rapid.SampledFrom([]string{"one", "two", "three"}).Draw(t, "family"),
			rapid.SampledFrom([]string{"a.go", "pkg/b.go"}).Draw(t, "file"), rapid.IntRange(1, 12).Draw(t, "line"),
			rapid.SampledFrom([]string{"bounds", "race", finding.Uncategorised}).Draw(t, "category"), rapid.SampledFrom(words).Draw(t, "title"),
		)
		f.EndLine = f.Line + rapid.IntRange(0, 4).Draw(t, "more")
		f.Severity = rapid.SampledFrom(finding.Severities()).Draw(t, "severity")
		f.Confidence = rapid.SampledFrom(finding.Confidences()).Draw(t, "confidence")
		f.State = rapid.SampledFrom(finding.States()).Draw(t, "state")
		f.CWE = rapid.SampledFrom([]string{"", "CWE-22", "CWE-79"}).Draw(t, "cwe")
		f.Code = rapid.SampledFrom([]string{"", "x := f()", "y := g()\nz()"}).Draw(t, "code")
		return f
	})
	return rapid.SliceOfN(one, 0, 40).Draw(t, "findings")
}

func TestMergingDependsOnNoOrderAndLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := some(t)
		given := slices.Clone(list)
		got := finding.Merge(list)
		require.Equal(t, given, list, "what is given stays as it is")
		require.Equal(t, got, finding.Merge(rapid.Permutation(list).Draw(t, "order")))

		members := map[finding.Finding]bool{}
		ids, prints := map[string]bool{}, map[string]bool{}
		for _, m := range got {
			require.False(t, ids[m.ID] || prints[m.Fingerprint])
			ids[m.ID], prints[m.Fingerprint] = true, true
			highest := finding.Finding{Severity: "none"}
			for _, f := range m.Members {
				require.False(t, members[f], "one finding in two places")
				members[f] = true
				require.Equal(t, m.File, f.File)
				if f.IsLocated() == m.IsLocated() && slices.Index(finding.Severities(), f.Severity) < index(highest.Severity) {
					highest = f
				}
			}
			require.Equal(t, highest.Severity, m.Severity, "no severity that nobody says")
		}
		for _, f := range list {
			require.True(t, members[f], "a finding is lost")
		}
	})
}

func index(severity string) int {
	if i := slices.Index(finding.Severities(), severity); i >= 0 {
		return i
	}
	return len(finding.Severities())
}

func judge(id, verdict, by string) finding.Judgement {
	return finding.Judgement{ID: id, Verdict: verdict, Reason: "because", By: by}
}

func TestHowJudgementsCount(t *testing.T) {
	alone := finding.Merge([]finding.Finding{said("bug-hunter", "one", "a.go", 10, "bounds", "n is out of range")})
	agreed := finding.Merge([]finding.Finding{said("bug-hunter", "one", "a.go", 10, "bounds", "n"), said("bug-hunter", "two", "a.go", 10, "bounds", "n")})
	for _, c := range []struct {
		name     string
		list     []finding.Merged
		verdicts []string
		want     string
	}{
		{"nobody judges", alone, nil, finding.Open},
		{"not sure", alone, []string{finding.SaysUnsure}, finding.Open},
		{"confirmed", alone, []string{finding.SaysConfirmed}, finding.Confirmed},
		{"denied by the synthesizer", alone, []string{finding.SaysFalse}, finding.FalsePositive},
		{"denied, and nobody is sure", alone, []string{finding.SaysFalse, finding.SaysUnsure}, finding.FalsePositive},
		{"refuted by a checker", alone, []string{finding.SaysRefuted}, finding.Disputed},
		{"denied and refuted", alone, []string{finding.SaysFalse, finding.SaysRefuted}, finding.FalsePositive},
		{"denied and confirmed", alone, []string{finding.SaysFalse, finding.SaysConfirmed}, finding.Disputed},
		{"refuted and confirmed", alone, []string{finding.SaysRefuted, finding.SaysConfirmed}, finding.Disputed},
		{"of two families, denied by one voice", agreed, []string{finding.SaysFalse}, finding.Disputed},
		{"of two families, denied and refuted", agreed, []string{finding.SaysFalse, finding.SaysRefuted}, finding.FalsePositive},
	} {
		t.Run(c.name, func(t *testing.T) {
			var js []finding.Judgement
			for _, v := range c.verdicts {
				js = append(js, judge(c.list[0].ID, v, "seat-"+v))
			}
			got := finding.Apply(c.list, js)
			require.Len(t, got, 1, "nothing disappears")
			require.Equal(t, c.want, got[0].Status)
			require.Len(t, got[0].Judgements, len(js))
			require.Equal(t, c.want != finding.FalsePositive, got[0].Stands())
			require.Equal(t, got, finding.Apply(c.list, append(js, judge("F-none", finding.SaysFalse, "x"))), "one about nothing says nothing")
		})
	}
}

func TestADuplicateBecomesPartOfWhatItRepeats(t *testing.T) {
	a, b, c := said("bug-hunter", "one", "a.go", 10, "bounds", "a"), said("bug-hunter", "two", "b.go", 99, "bounds", "b"), said("stack-reviewer", "two", "c.go", 5, "build", "c")
	b.Severity = finding.Critical
	list := finding.Merge([]finding.Finding{a, b, c})
	id := map[string]string{}
	for _, m := range list {
		id[m.Title] = m.ID
	}
	duplicate := func(what, of string) finding.Judgement {
		return finding.Judgement{ID: id[what], Verdict: finding.SaysDuplicate, Of: id[of], Reason: "the same cause"}
	}
	got := finding.Apply(list, []finding.Judgement{duplicate("b", "a")})
	require.Len(t, got, 2)
	require.Equal(t, id["a"], got[0].ID, "the id stays")
	require.Equal(t, finding.Critical, got[0].Severity, "what is grave stays grave")
	require.Len(t, got[0].Members, 2)
	require.Empty(t, got[0].Also, "nothing points at what is no finding of its own any more")

	require.Len(t, finding.Apply(list, []finding.Judgement{duplicate("a", "b"), duplicate("b", "a")}), 3, "in a ring none repeats another")
	require.Len(t, finding.Apply(list, []finding.Judgement{duplicate("c", "a")}), 3, "of another file and kind it is no duplicate")
	require.Len(t, finding.Apply(list, []finding.Judgement{{ID: id["a"], Verdict: finding.SaysDuplicate, Of: "F-none", Reason: "x"}}), 3)
}

func TestApplyingDependsOnNoOrderAndLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := finding.Merge(some(t))
		ids := []string{"F-none"}
		for _, m := range list {
			ids = append(ids, m.ID)
		}
		js := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) finding.Judgement {
			return finding.Judgement{
				ID: rapid.SampledFrom(ids).Draw(t, "id"), Verdict: rapid.SampledFrom(finding.Verdicts()).Draw(t, "verdict"),
				Of: rapid.SampledFrom(ids).Draw(t, "of"), Reason: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "reason"), By: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "by"),
			}
		}), 0, 30).Draw(t, "judgements")
		before := mustJSON(list)
		got := finding.Apply(list, js)
		require.Equal(t, before, mustJSON(list), "what is given stays as it is")
		require.Equal(t, got, finding.Apply(rapid.Permutation(list).Draw(t, "order"), rapid.Permutation(js).Draw(t, "order of judgements")))
		require.Equal(t, members(list), members(got))
		c := finding.Count(got)
		require.Equal(t, len(got), c.Total+c.False)
		require.Len(t, finding.NotDismissed(got), c.Total)
		require.Len(t, finding.Dismissed(got), c.False)
	})
}

func members(list []finding.Merged) map[string]int {
	all := map[string]int{}
	for _, m := range list {
		for _, f := range m.Members {
			all[mustJSON(f)]++
		}
	}
	return all
}

func TestJudgementsAreRead(t *testing.T) {
	list, refused := finding.DecodeJudgements(strings.NewReader(`{"judgements": [
{"id":"F-1","verdict":"False_Positive","reason":"the caller\nchecks"},
{"id":"F-2","verdict":"confirmed"},
{"id":"F-3","verdict":"refuted"},
{"id":"F-4","verdict":"duplicate","of":"F-4","reason":"x"},
{"id":"F-5","verdict":"wrong","reason":"x"}
], "themes": []}
<!-- RESEARCH_COMPLETE -->`), "seat")
	require.Equal(t, []finding.Judgement{
		{ID: "F-1", Verdict: finding.SaysFalse, Reason: "the caller checks", By: "seat"},
		{ID: "F-2", Verdict: finding.SaysConfirmed, By: "seat"},
	}, list)
	require.Len(t, refused, 3)
	require.Equal(t, finding.Refusal{Line: 4, Reason: "reason is missing"}, refused[0])
	require.Contains(t, refused[1].Reason, "of must be")
	require.Contains(t, refused[2].Reason, "verdict must be one of")
}

func TestTheWorstComeFirstAndTheDoorCountsThem(t *testing.T) {
	var list []finding.Finding
	for i, severity := range []string{finding.Minor, finding.Critical, finding.Info, finding.Serious, finding.Critical} {
		f := said("bug-hunter", "one", "a.go", 10*(i+1), "bounds", "title "+severity)
		f.Severity = severity
		if i == 4 {
			f.State = finding.Missing
		}
		list = append(list, f)
	}
	all := finding.Merge(list)
	worst := finding.Gravest(all, 3)
	require.Equal(t, []string{"title critical", "title critical", "title high"}, titles(worst))
	require.True(t, worst[0].IsLocated() && !worst[1].IsLocated())
	require.Len(t, finding.Gravest(all, 99), 5)
	for least, want := range map[string]int{finding.Critical: 1, finding.Serious: 2, finding.Moderate: 2, finding.Minor: 3, finding.Info: 4, "": 0, "none": 0} {
		require.Equal(t, want, finding.CountAtLeast(all, least), least)
	}
	all = finding.Apply(all, []finding.Judgement{judge(worst[0].ID, finding.SaysFalse, "x")})
	require.Zero(t, finding.CountAtLeast(all, finding.Critical))
	require.Equal(t, 1, finding.Count(all).State[finding.Missing])
}
