package supervisor_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/budget"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/relation"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/evidence/vote"
	"github.com/research-council/research-council/internal/host/verify"
	"github.com/research-council/research-council/internal/product/council"
)

// actor is a fake agent that plays what a test has laid down for it in files of $CALLS:
// $SEAT.claims in its research, $SEAT.debate-N.claims and $SEAT.debate-N in a round, and
// of pairs and ballots what $SEAT.pairs and $SEAT.votes say, else unrelated and supports.
// It notes what it was asked.
const actor = `dir=$(dirname "$RESEARCH_REPORT_PATH"); name=$(basename "$RESEARCH_REPORT_PATH"); touch "$CALLS/$SEAT.pairs" "$CALLS/$SEAT.votes"
[ ! -e "$CALLS/$SEAT.hook" ] || . "$CALLS/$SEAT.hook"
case "$name" in
*-votes*.md) ballot=$dir/inputs/ballot-$SEAT${name#*-votes}; sed -n 's/^## \(C[0-9]*\)$/\1/p' "$ballot" > "$dir/ids"
  echo "$name" $(cat "$dir/ids") >> "$CALLS/asked"
  awk 'FILENAME ~ /votes$/{said[$1]=$2; next} {printf "{\"id\":\"%s\",\"answer\":\"%s\",\"reason\":\"as it says\"}\n", $1, ($1 in said) ? said[$1] : "supports"}' "$CALLS/$SEAT.votes" "$dir/ids" > "$RESEARCH_REPORT_PATH" ;;
*-comparison-*.json) sed -n 's/^- \(C[0-9]*\/C[0-9]*\).*/\1/p' "$dir/inputs/pairs-$(basename "${name##*-}" .json).md" > "$dir/ids"
  echo "$name" $(cat "$dir/ids") >> "$CALLS/asked"
  awk 'FILENAME ~ /pairs$/{said[$1]=$2; next} BEGIN{printf "{\"pairs\":["} {printf "%s{\"pair\":\"%s\",\"relation\":\"%s\",\"words\":\"as they say\"}", sep, $1, ($1 in said) ? said[$1] : "unrelated"; sep=","} END{print "]}"}' "$CALLS/$SEAT.pairs" "$dir/ids" > "$RESEARCH_REPORT_PATH" ;;
*-debate-*.md) round=${name##*-}; round=${round%.md}; echo "$name" >> "$CALLS/asked"
  [ ! -e "$CALLS/$SEAT.debate-$round.claims" ] || cat "$CALLS/$SEAT.debate-$round.claims" > "$dir/claims.jsonl"
  cat "$CALLS/$SEAT.debate-$round" > "$RESEARCH_REPORT_PATH" 2>/dev/null || cat "$CALLS/$SEAT.debate" > "$RESEARCH_REPORT_PATH" ;;
*-verdicts.md) echo "$name" >> "$CALLS/asked"; cat "$CALLS/$SEAT.verdicts" > "$RESEARCH_REPORT_PATH" ;;
*) [ ! -e "$CALLS/$name.claims" ] || cat "$CALLS/$name.claims" > "$dir/claims.jsonl"
  [ "$name" != "$SEAT-report.md" ] || cat "$CALLS/$SEAT.claims" > "$dir/claims.jsonl"
  printf '# Report\n\n## Key Findings\n\n%s\n' "$WORDS" > "$RESEARCH_REPORT_PATH" ;;
esac
printf '\n<!-- RESEARCH_COMPLETE -->\n' >> "$RESEARCH_REPORT_PATH"
`

// play is a council of three actors whose sources are the lines of one file.
type play struct{ *councilRun }

func newPlay(t *testing.T) *play {
	p := &play{councilRun: newCouncil(t, map[string]string{"ada": actor, "bea": actor, "cid": actor})}
	p.setup.Plan = scope.Plan{Mode: scope.Exploratory, Debate: scope.Force, Budget: scope.Medium, Questions: scope.QuestionsOf(p.setup.Topic)}
	p.setup.Limits = budget.Limits{Turns: 400, Time: p.setup.Limits.Time}
	return p
}

func (p *play) say(name, format string, args ...any) {
	f, err := os.OpenFile(filepath.Join(p.calls, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(p, err)
	_, err = fmt.Fprintf(f, format+"\n", args...)
	require.NoError(p, err)
	require.NoError(p, f.Close())
}

// fact has a seat claim a sentence that stands in the sources; more are further fields.
func (p *play) fact(file, id, text, more string) {
	f, err := os.OpenFile(filepath.Join(p.setup.Scope, "facts.md"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(p, err)
	_, err = fmt.Fprintf(f, "%s\n\n", text)
	require.NoError(p, err)
	require.NoError(p, f.Close())
	p.say(file, `{"id":%q,"text":%q,"quote":%q,"source":"facts.md","source_type":"official_doc"%s}`, id, text, text, more)
}

func (p *play) registry() claim.Registry {
	reg, err := claim.ParseRegistry([]byte(p.file("registry.json")))
	require.NoError(p, err)
	return reg
}

func (p *play) asked() string {
	data, _ := os.ReadFile(filepath.Join(p.calls, "asked"))
	return string(data)
}

func (p *play) debate() vote.Result {
	var d vote.Result
	require.NoError(p, json.Unmarshal([]byte(p.file("debate.json")), &d))
	return d
}

func (p *play) byText(text string) claim.Entry {
	for _, e := range p.registry().Entries {
		if e.Text == text {
			return e
		}
	}
	require.FailNow(p, "no claim says "+text, p.file("registry.json"))
	return claim.Entry{}
}

// askedOnce holds that nobody is asked twice about one thing, but for what rests on others
// and what has come in a debate.
func (p *play) askedOnce() {
	p.Helper()
	reg := p.registry()
	seen := map[string]bool{}
	for line := range strings.Lines(p.asked()) {
		words := strings.Fields(line)
		if len(words) == 1 && seen[words[0]] {
			p.Errorf("asked again: %s", line)
		}
		seen[words[0]] = true
		seat, _, _ := strings.Cut(words[0], "-")
		role := regexp.MustCompile(`-(votes|comparison)`).FindString(words[0])
		for _, id := range words[1:] {
			e, _ := reg.Entry(id)
			if k := seat + role + id; seen[k] && len(e.RestsOn) == 0 && e.Rounds[0] != council.Debate {
				p.Errorf("%s%s was asked twice about %s", seat, role, id)
			} else {
				seen[k] = true
			}
		}
	}
}

// coherent holds what every run must: nothing lost, nothing counted twice, no group of
// what contradicts.
func (p *play) coherent() {
	p.Helper()
	reg := p.registry()
	texts, ids := map[string]bool{}, map[string]bool{}
	for _, e := range reg.Entries {
		if ids[e.ID] {
			p.Errorf("%s is there twice", e.ID)
		}
		texts[e.Text], ids[e.ID] = true, true
		if e.Support == nil {
			continue
		}
		heard := map[string]bool{}
		for _, v := range e.Support.Votes {
			if heard[v.Family] {
				p.Errorf("%s counts %s twice", e.ID, v.Family)
			}
			heard[v.Family] = true
			if slices.Contains(e.Families, v.Family) && !e.Support.Own {
				p.Errorf("%s is judged by its own %s", e.ID, v.Family)
			}
		}
	}
	for _, seat := range p.setup.Seats {
		if !p.has("records/" + seat.Name + ".jsonl") {
			continue
		}
		drafts, _ := claim.Decode(strings.NewReader(p.file("records/"+seat.Name+".jsonl")), seat.Name, "")
		for _, d := range drafts {
			if d.Text != "" && !texts[d.Text] {
				p.Errorf("%s recorded %q, which is lost", seat.Name, d.Text)
			}
		}
	}
	for _, g := range reg.Groups {
		for _, r := range reg.Relations {
			if r.Agreed(relation.Contradicts) && slices.Contains(g.Members, r.A) && slices.Contains(g.Members, r.B) {
				p.Errorf("group %s holds %s and %s", g.ID, r.A, r.B)
			}
		}
		for _, id := range g.Members {
			if e, _ := reg.Entry(id); e.IsWithdrawn() {
				p.Errorf("group %s holds %s, which is withdrawn", g.ID, id)
			}
		}
	}
	if v, err := verify.Run(p.folder()); err != nil || len(v.Problems) > 0 {
		p.Errorf("verify: %v %v", err, v.Problems)
	}
}

// basic lays down four claims: ada and bea contradict each other twice, C1 with C3 and
// C2 with C4; cid says something else, C5.
func basic(t *testing.T) *play {
	p := newPlay(t)
	p.fact("ada.claims", "a1", "The upload limit of the service is 20 megabytes for every single file.", `,"critical":true,"questions":["Q1"]`)
	p.fact("ada.claims", "a2", "The retention of deleted backups lasts 7 days on the archive tier.", `,"critical":true,"questions":["Q1"]`)
	p.fact("bea.claims", "b1", "The upload limit of the service is 30 megabytes for every single file.", `,"critical":true,"questions":["Q1"]`)
	p.fact("bea.claims", "b2", "The retention of deleted backups lasts 9 days on the archive tier.", `,"critical":true,"questions":["Q1"]`)
	p.fact("cid.claims", "c1", "Operators rotate the signing keys by hand every quarter.", "")
	for _, seat := range []string{"ada", "bea", "cid"} {
		p.say(seat+".pairs", "C1/C3 contradicts")
		p.say(seat+".pairs", "C2/C4 contradicts")
	}
	return p
}

func (p *play) position(file, point, side string, args ...string) {
	var list []string
	for _, a := range args {
		list = append(list, fmt.Sprintf(`{"claim":%q,"because":"it says so"}`, a))
	}
	p.say(file, `{"conflict":%q,"side":%q,"arguments":[%s]}`, point, side, strings.Join(list, ","))
}

func (p *play) stand() {
	for seat, side := range map[string]string{"ada": "A", "bea": "B", "cid": "B"} {
		arg := map[string][]string{"A": {"C1", "C2"}, "B": {"C3", "C4"}}[side]
		p.position(seat+".debate", "D1", side, arg[0])
		p.position(seat+".debate", "D2", side, arg[1])
	}
}

func (p *play) play() flow.Run {
	p.Helper()
	r := p.run()
	require.Equal(p, flow.Completed, r.Status, r.Reason)
	p.coherent()
	p.askedOnce()
	return r
}

// snapshot has a seat copy the run's folder when it is asked to write a file.
func (p *play) snapshot(seat, name, to string) {
	p.say(seat+".hook", `case "$name" in %s) cp -r '%s' "$CALLS/%s";; esac`, name, p.folder(), to)
}

// back puts the run to where a snapshot was taken, with the journal cut before the end of
// a task: so a kill leaves it after all that the task writes.
func (p *play) back(snap, task string) {
	require.NoError(p, os.RemoveAll(p.folder()))
	require.NoError(p, os.CopyFS(p.folder(), os.DirFS(filepath.Join(p.calls, snap))))
	lines := strings.SplitAfter(p.file(journal.Name), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, `"turn.ended"`) && strings.Contains(l, task) })
	require.Positive(p, at, task)
	require.NoError(p, os.WriteFile(filepath.Join(p.folder(), journal.Name), []byte(strings.Join(lines[:at], "")), 0o600))
}

func (p *play) again() {
	r, err := supervisor.Supervise(p.Context(), p.options())
	require.NoError(p, err)
	require.Equal(p, flow.Completed, r.Status, r.Reason)
}

// bringing is a play in which bea brings a claim in the debate, C8, and another, C7, in
// the place of C3, on which the recommendation C5 rests.
func bringing(t *testing.T) *play {
	p := basic(t)
	p.say("bea.claims", `{"id":"b4","kind":"recommendation","text":"Split larger files before the upload.","rests_on":["b1"]}`)
	p.stand()
	p.fact("bea.debate-1.claims", "n1", "The upload limit of the service is 25 megabytes on the free plan.", "")
	p.fact("bea.debate-1.claims", "n2", "Uploads of archives are cut into parts by the client.", "")
	p.say("bea.debate-1.claims", `{"withdraws":"C3","reason":"It was narrowed.","replaced_by":"n1"}`)
	p.position("bea.debate-1", "D1", "B", "n1")
	p.position("bea.debate-1", "D2", "B", "C4")
	return p
}

// onceMore are the stages that follow a debate which has brought something.
const onceMore = "tally comparison grouping support assessment synthesis"

// judgedFiles are what judging leaves, after what [bringing] brings.
func judgedFiles() []string {
	return []string{"registry.json", "score.json", "debate.json", "debate.md", "disputes.md", "pairs-2.md", "ballot-ada-2.md", "ballot-cid-2.md"}
}
