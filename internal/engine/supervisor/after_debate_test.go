package supervisor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/evidence/vote"
)

func TestADebateThatBringsNothingIsFollowedByNone(t *testing.T) {
	t.Parallel()
	p := basic(t)
	p.stand()
	r := p.play()
	require.True(t, strings.HasSuffix(strings.Join(visited(r), " "), "debate tally synthesis report"))
	require.NotContains(t, p.asked(), "-2.json")
	require.NotContains(t, p.asked(), "votes-2.md")
}

// All agree in the first round, and one has brought something.
func TestWhatAConsensusBringsIsJudged(t *testing.T) {
	t.Parallel()
	p := basic(t)
	for _, seat := range []string{"ada", "bea", "cid"} {
		p.position(seat+".debate", "D1", "B", "C3")
		p.position(seat+".debate", "D2", "A", "C2")
	}
	const text = "Uploads of archives are cut into parts by the client."
	p.fact("cid.debate-1.claims", "n1", text, "")
	r := p.play()
	require.Contains(t, strings.Join(visited(r), " "), "assessment debate "+onceMore)
	require.Len(t, p.byText(text).Support.Votes, 2)
	reg := p.registry()
	require.Equal(t, []string{claim.ResolvedB, claim.ResolvedA}, []string{reg.Conflicts[0].Status, reg.Conflicts[1].Status}, "how the debate ended stands")
}

// A claim is replaced in one round, and what replaced it in the next: what rested on the
// first rests on the last, and is voted on once.
func TestAReplacementIsReplaced(t *testing.T) {
	t.Parallel()
	p := basic(t)
	p.say("bea.claims", `{"id":"b3","kind":"inference","text":"Most photographs therefore fit.","rests_on":["b1"]}`)
	p.say("bea.claims", `{"id":"b4","kind":"recommendation","text":"Split larger files before the upload.","rests_on":["b3","b1"]}`)
	p.stand()
	p.fact("bea.debate-1.claims", "n1", "The upload limit of the service is 25 megabytes on the free plan.", "")
	p.say("bea.debate-1.claims", `{"withdraws":"C3","reason":"It was narrowed.","replaced_by":"n1"}`)
	p.position("bea.debate-1", "D2", "A", "C2")
	const last = "The upload limit of the service is 24 megabytes on the free plan since May."
	p.fact("bea.debate-2.claims", "n2", last, "")
	p.say("bea.debate-2.claims", `{"withdraws":"n1","reason":"It was narrowed again.","replaced_by":"n2"}`)
	p.play()
	now := p.byText(last)
	for text, grounds := range map[string][]string{
		"Most photographs therefore fit.":       {now.ID},
		"Split larger files before the upload.": {"C5", now.ID},
	} {
		e := p.byText(text)
		require.Equal(t, grounds, e.RestsOn)
		require.Equal(t, vote.Supports, e.Support.Verdict)
		require.False(t, e.Support.Former)
	}
	require.Contains(t, p.asked(), "ada-votes-2.md "+now.ID+" C5 C6\n")
	require.True(t, p.byText("The upload limit of the service is 25 megabytes on the free plan.").IsWithdrawn())
	require.Equal(t, vote.Withdrawn, p.debate().Points[0].Equilibrium)
}

func TestAReplacementThatIsNotFoundHoldsNothing(t *testing.T) {
	t.Parallel()
	p := basic(t)
	p.say("bea.claims", `{"id":"b4","kind":"recommendation","text":"Split larger files before the upload.","rests_on":["b1"]}`)
	p.stand()
	p.say("bea.debate-1.claims", `{"id":"n1","text":"The limit is 77 gigabytes at least.","quote":"The limit is 77 gigabytes at least.","source":"facts.md"}`)
	p.say("bea.debate-1.claims", `{"withdraws":"C3","reason":"It was narrowed.","replaced_by":"n1"}`)
	r := p.play()
	require.NotContains(t, strings.Join(visited(r), " "), "tally comparison", "there is nothing to judge")
	require.Equal(t, claim.Unfounded, p.byText("Split larger files before the upload.").Location.State)
	report := p.file("final-report.md")
	require.Contains(t, report, "what it rests on does not hold")
	require.NotContains(t, report, "judges support it")
	require.NotContains(t, report, "(ada supports")
}

// What a debater recorded and took back stands although its turn failed, whether others
// have spoken or nobody has.
func TestADebaterThatFailsHasRecordedAllTheSame(t *testing.T) {
	t.Parallel()
	for name, silent := range map[string][]string{"alone": {"bea"}, "with all others": {"ada", "bea", "cid"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := basic(t)
			p.stand()
			const text = "The upload limit of the service is 25 megabytes on the free plan."
			p.fact("bea.debate-1.claims", "n1", text, "")
			p.say("bea.debate-1.claims", `{"withdraws":"C3","reason":"It was narrowed.","replaced_by":"n1"}`)
			for _, seat := range silent {
				p.say(seat+".hook", `case "$name" in *-debate-*) cat "$CALLS/$SEAT.debate-1.claims" > "$dir/claims.jsonl"; exit 70;; esac`)
			}
			r := p.play()
			require.Contains(t, strings.Join(visited(r), " "), onceMore)
			gone, _ := p.registry().Entry("C3")
			require.True(t, gone.IsWithdrawn())
			require.Equal(t, vote.Supports, p.byText(text).Support.Verdict)
			require.Equal(t, claim.ResolvedA, p.registry().Conflicts[0].Status)
		})
	}
}

// A debater is told which of its lines are refused, and mends them.
func TestADebaterMendsItsLines(t *testing.T) {
	t.Parallel()
	p := basic(t)
	p.stand()
	p.say("bea.debate-1.claims", `{"withdraws":"C3","reason":"It was narrowed.","replaced_by":"C99"}`)
	p.say("bea.mended", `{"withdraws":"C3","reason":"It was narrowed."}`)
	p.say("bea.hook", `case "$name" in *-debate-1.md) [ ! -e "$dir/claims.jsonl" ] || { cp "$CALLS/bea.mended" "$CALLS/bea.debate-1.claims"; };; esac`)
	r := p.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	p.coherent()
	gone, _ := p.registry().Entry("C3")
	require.True(t, gone.IsWithdrawn(), p.file("progress.log"))
}

// What one seat takes back another may claim in the same words, whichever stands first.
func TestADebaterClaimsWhatAnotherTakesBack(t *testing.T) {
	t.Parallel()
	const text = "The upload limit of the service is 20 megabytes for every single file."
	for _, by := range []string{"bea", "cid"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			p := basic(t)
			p.stand()
			p.say("ada.debate-1.claims", `{"withdraws":"C1","reason":"It is of the old plan."}`)
			p.say(by+".debate-1.claims", `{"id":"n1","text":%q,"quote":%q,"source":"facts.md"}`, text, text)
			p.position(by+".debate-1", "D1", "A", "n1")
			p.position(by+".debate-1", "D2", "B", "C4")
			p.play()
			e := p.byText(text)
			require.Equal(t, []string{by}, e.Seats)
			require.Equal(t, claim.Located, e.Location.State)
			require.Len(t, e.Support.Votes, 2)
			require.Equal(t, claim.StillDivergent, p.registry().Conflicts[0].Status, "it has an author")
		})
	}
}

// Who has brought a claim does not vote on it, though another has brought it too.
func TestTwoDebatersBringTheSame(t *testing.T) {
	t.Parallel()
	p := basic(t)
	p.stand()
	const text = "Uploads of archives are cut into parts by the client."
	p.fact("ada.debate-1.claims", "n1", text, "")
	p.say("bea.debate-1.claims", `{"id":"m1","text":%q,"quote":%q,"source":"facts.md"}`, text, text)
	p.play()
	e := p.byText(text)
	require.Equal(t, []string{"ada", "bea"}, e.Families)
	require.Len(t, e.Support.Votes, 1)
	require.Equal(t, "cid", e.Support.Votes[0].Family)
}

// A quotation is mended in the refinement, or a second passage in the debate: the claim is
// there once, as it is now.
func TestWhatIsMendedIsThereOnce(t *testing.T) {
	t.Parallel()
	const text = "Keys are safe with two people."
	passages := func(second string) string {
		return fmt.Sprintf(`{"id":"c2","text":%q,"passages":[{"quote":"Keys are kept in a sealed cabinet.","source":"facts.md"},{"quote":%q,"source":"facts.md"}]}`, text, second)
	}
	for name, file := range map[string]string{"refinement": "cid-refined.md.claims", "debate": "cid.debate-1.claims"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := basic(t)
			p.stand()
			p.fact("unclaimed", "x", "Keys are kept in a sealed cabinet.", "")
			p.fact("unclaimed", "x", "The cabinet is opened by two people.", "")
			p.say("cid.claims", "%s", passages("The cabinet is never opened by five people."))
			p.say(file, "%s", passages("The cabinet is opened by two people."))
			p.play()
			require.Len(t, p.registry().Entries, 6)
			e := p.byText(text)
			require.Equal(t, claim.Located, e.Location.State)
			require.Equal(t, vote.Supports, e.Support.Verdict)
		})
	}
}

// Of a claim that judges have read in opposite ways, and that its seat withdraws in the
// first of several rounds, the debate tells in the end all the same.
func TestWhatIsWithdrawnInADebateStaysAPointOfIt(t *testing.T) {
	t.Parallel()
	p := basic(t)
	p.setup.Plan.Debate = scope.Auto
	p.say("ada.votes", "C5 contradicts")
	p.stand()
	p.position("bea.debate-1", "D2", "both", "C4")
	p.position("ada.debate-1", "C5", "neither")
	p.position("ada.debate-1", "D1", "A", "C1")
	p.position("ada.debate-1", "D2", "A", "C2")
	p.say("cid.debate-1.claims", `{"withdraws":"C5","reason":"It is of the old plan."}`)
	p.play()
	d := p.debate()
	require.Greater(t, d.Rounds, 1)
	at := slices.IndexFunc(d.Points, func(q vote.Point) bool { return q.Conflict == "C5" })
	require.GreaterOrEqual(t, at, 0, p.file("debate.md"))
	require.Equal(t, vote.Withdrawn, d.Points[at].Equilibrium)
	require.NotContains(t, p.file("debate.md"), "there is no such point")
}

// Judges that fail, or answer on what they were not asked, in the second round alone,
// change nothing of what was said before it.
func TestJudgesWhoDoBadlyAfterADebate(t *testing.T) {
	t.Parallel()
	const foreign = `case "$name" in *-comparison-2.json) echo '{"pairs":[{"pair":"C1/C2","relation":"same"},{"pair":"C4/C1","relation":"same"},{"pair":"C90/C91","relation":"same"}]}' > "$RESEARCH_REPORT_PATH"; exit 0;;
*-votes-2.md) for i in 1 2 4 6 99; do echo '{"id":"C'$i'","answer":"contradicts","reason":"x"}'; done > "$RESEARCH_REPORT_PATH"; exit 0;; esac`
	for name, hook := range map[string]string{
		"they fail":          `case "$name" in *-comparison-2.json|*-votes-2.md) exit 70;; esac`,
		"they write nothing": `case "$name" in *-comparison-2.json|*-votes-2.md) exit 0;; esac`,
		"they write prose":   `case "$name" in *-comparison-2.json|*-votes-2.md) echo 'I would rather not.' > "$RESEARCH_REPORT_PATH"; exit 0;; esac`,
		"on others":          foreign,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := bringing(t)
			for _, seat := range []string{"ada", "bea", "cid"} {
				p.say(seat+".hook", "%s", hook)
			}
			p.play()
			reg := p.registry()
			require.Empty(t, reg.Groups)
			for _, id := range []string{"C1", "C2", "C4", "C6"} {
				e, _ := reg.Entry(id)
				require.Equal(t, vote.Supports, e.Support.Verdict, id)
			}
			advice, _ := reg.Entry("C5")
			require.Equal(t, vote.Qualifies, advice.Support.Verdict)
			require.Contains(t, advice.Support.Reason, "judges saw it resting on C3")
			for _, id := range []string{"C7", "C8"} {
				e, _ := reg.Entry(id)
				require.Equal(t, claim.Unjudged, e.Support.Verdict)
				require.Contains(t, e.Support.Reason, "no judge could be heard")
			}
		})
	}
}

// A new claim joins a group, one that says otherwise joins none, and what judges refute is
// rejected.
func TestNewClaimsJoinGroups(t *testing.T) {
	t.Parallel()
	p := basic(t)
	p.fact("cid.claims", "c2", "Signing keys are rotated manually by the people who operate the service, once in three months.", "") // C6
	p.stand()
	p.fact("bea.debate-1.claims", "n1", "The keys for signing are changed by hand in every quarter by operators.", "") // C7
	p.fact("bea.debate-1.claims", "n2", "The signing keys are never rotated by operators.", "")                        // C8
	for _, seat := range []string{"ada", "bea", "cid"} {
		for _, said := range []string{"C5/C6 same", "C5/C7 same", "C5/C8 contradicts", "C6/C8 same", "C7/C8 same"} {
			p.say(seat+".pairs", "%s", said)
		}
		p.say(seat+".votes", "C8 contradicts")
	}
	p.play()
	reg := p.registry()
	require.Len(t, reg.Groups, 1)
	require.Equal(t, []string{"C5", "C6", "C7"}, reg.Groups[0].Members)
	require.Equal(t, []string{"cid", "bea"}, reg.Groups[0].Families)
	for _, id := range reg.Groups[0].Members {
		e, _ := reg.Entry(id)
		require.Len(t, e.Support.Votes, 2, id)
	}
	require.Contains(t, p.file("final-report.md"), "C8, said by bea: “The signing keys are never rotated by operators.” [\\[1\\]](#c8 \"C8\"): its own passage says otherwise")
}

// The council's answer is another one after the debate.
func TestADebateReversesTheAnswer(t *testing.T) {
	t.Parallel()
	p := basic(t)
	p.say("bea.claims", `{"id":"b4","kind":"recommendation","text":"Use the archive tier for backups.","rests_on":["b2"],"questions":["Q1"],"critical":true}`)
	p.stand()
	p.fact("bea.debate-1.claims", "n1", "The archive tier loses one backup in ten.", "")
	p.say("bea.debate-1.claims", `{"id":"n2","kind":"recommendation","text":"Do not use the archive tier for backups.","rests_on":["n1"],"questions":["Q1"]}`)
	p.say("bea.debate-1.claims", `{"withdraws":"C5","reason":"It loses backups.","replaced_by":"n2"}`)
	p.play()
	now := p.byText("Do not use the archive tier for backups.")
	require.Equal(t, claim.High, now.Confidence)
	require.Len(t, now.Support.Votes, 2)
	answer, _, _ := strings.Cut(p.file("final-report.md"), "## Rejected after Checking")
	require.Contains(t, answer, "Do not use the archive tier")
	require.NotContains(t, answer, "“Use the archive tier")
}

// More than judges can read is brought by one debate: all of it is kept, and told of as
// what nobody has judged.
func TestADebateBringsMoreThanIsJudged(t *testing.T) {
	t.Parallel()
	p := basic(t)
	p.stand()
	colours := strings.Fields("red green blue grey pink cyan lime teal navy gold")
	for i := range 90 {
		p.fact("bea.debate-1.claims", fmt.Sprint("n", i), fmt.Sprintf("The %s cabinet %s on floor %d keeps its keys for %d days.", colours[i%10], colours[i/10%10], i/50+1, i+3), "")
	}
	p.play()
	judged := 0
	reg := p.registry()
	require.Len(t, reg.Entries, 95)
	for _, e := range reg.Entries[5:] {
		if e.Support != nil {
			judged++
		}
	}
	require.Equal(t, 40, judged)
	require.Contains(t, p.file("progress.log"), "what it brought is judged: 90 claims, of which each family votes on 40 at most")
	require.Contains(t, p.file("final-report.md"), "located and unjudged 50")
}

// A task of the program is done again upon what it has written, as after a kill between
// that and its fact: it comes to the same, and nobody is asked again.
func TestWhatFollowsADebateIsDoneAgain(t *testing.T) {
	t.Parallel()
	for task, asked := range map[string]string{"tally.2/program": "*-comparison-2.json", "grouping.2/program": "*-votes-2.md", "assessment.2/program": "*synthesis.md"} {
		t.Run(strings.TrimSuffix(task, ".2/program"), func(t *testing.T) {
			t.Parallel()
			p := bringing(t)
			p.snapshot("ada", asked, "snapshot")
			p.play()
			before := map[string]string{}
			for _, name := range judgedFiles() {
				before[name] = p.file(name)
			}
			p.back("snapshot", task)
			require.NoError(t, os.Remove(filepath.Join(p.calls, "ada.hook")))
			p.again()
			for name, text := range before {
				require.Equal(t, text, p.file(name), name)
			}
		})
	}
}

func TestAKillAfterADebateLosesNothing(t *testing.T) {
	t.Parallel()
	whole := bringing(t)
	whole.begin()
	require.True(t, whole.supervised(0))
	lines := strings.Split(whole.file("journal.jsonl"), "\n")
	first := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "debate.1/") })
	const apart = 17
	for n := 0; n < apart; n += 5 {
		t.Run(fmt.Sprintf("from fact %d of the debate", n), func(t *testing.T) {
			t.Parallel()
			p := bringing(t)
			p.begin()
			kills := 0
			for at := first + n; !p.supervised(at); at = p.facts() + apart {
				kills++
				require.Less(t, kills, 40, "the run does not get on")
			}
			for _, name := range judgedFiles() {
				require.Equal(t, strings.ReplaceAll(whole.file(name), whole.setup.ID, p.setup.ID), p.file(name), name)
			}
			p.coherent()
		})
	}
}

// Who ends a run while what a debate brought is judged has a report that says what nobody
// has judged, and a run that can be verified.
func TestARunIsEndedWhileItJudgesADebate(t *testing.T) {
	for name, end := range map[string]func(*testing.T, *play) flow.Status{
		"cancelled": func(t *testing.T, p *play) flow.Status {
			require.NoError(t, supervisor.Cancel(t.Context(), p.options(), "the user cancelled it"))
			return flow.Cancelled
		},
		"finished": func(t *testing.T, p *play) flow.Status {
			require.NoError(t, supervisor.AskToFinish(p.project, p.setup.ID, time.Now()))
			return flow.Completed
		},
	} {
		for _, file := range []string{"*-comparison-2.json", "*-votes-2.md"} {
			t.Run(name+" "+strings.Trim(file, "*-"), func(t *testing.T) {
				p := bringing(t)
				p.say("ada.hook", `case "$name" in %s) echo > "$CALLS/waits"; sleep 3600;; esac`, file)
				p.begin()
				_, err := supervisor.Detach(p.options())
				require.NoError(t, err)
				until(t, "it is under way", func() bool { _, err := os.Stat(filepath.Join(p.calls, "waits")); return err == nil })
				until(t, "the others have answered", func() bool {
					return strings.Contains(p.asked(), "cid"+strings.TrimPrefix(file, "*"))
				})
				status := end(t, p)
				until(t, "it has ended", func() bool { _, up := supervisor.Alive(p.project, p.setup.ID); return !up })
				r, err := supervisor.Read(p.project, p.setup.ID)
				require.NoError(t, err)
				require.Equal(t, status, r.Status)
				p.coherent()
				e, _ := p.registry().Entry("C5")
				if strings.Contains(file, "comparison") || status == flow.Cancelled {
					require.Equal(t, vote.Qualifies, e.Verdict(), "nobody has judged it as it is now")
				}
			})
		}
	}
}

// The turns run out where what a debate brought is judged.
func TestTurnsRunOutAfterADebate(t *testing.T) {
	t.Parallel()
	for limit := 20; limit < 26; limit++ {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			t.Parallel()
			p := bringing(t)
			p.setup.Limits.Turns = limit
			r := p.run()
			require.Equal(t, flow.OutOfBudget, r.Status, r.Reason)
			p.coherent()
			e, known := p.registry().Entry("C7")
			require.True(t, known)
			if len(e.Support.Votes) == 0 {
				require.Contains(t, e.Support.Reason, "no judge could be heard")
			}
			require.Contains(t, p.file("final-report.md"), "budget")
		})
	}
}
