package watch

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/claim"
)

var update = flag.Bool("update", false, "write the golden screens anew")

func noon() time.Time { return time.Date(2026, 11, 22, 9, 10, 0, 0, time.UTC) }

// council is a run as it is in the middle of its research: a seat at work, one that
// waits for its provider, one over its share that has failed before, and one that
// shows no life.
func council() look {
	l := look{
		Status: status.Status{
			ID: "20261122-080000-a1b2c3", Topic: "Which Raft library for a five-node store?", Phase: "research", Step: 2, Steps: 6, Status: "running", Supervisor: 1,
			Began: noon().Add(-70 * time.Minute), Limits: status.Limits{USD: 12}, Spent: status.Money{USD: 6.47, Reported: true, Tokens: 1_590_000, Turns: 9}, Folder: "/nowhere",
			Course: []status.Part{{Name: "planning", State: "done", Took: 3 * time.Minute}, {Name: "research", State: "now", Since: noon().Add(-67 * time.Minute)}, {Name: "refinement", State: "next"}, {Name: "judgement", State: "next"}, {Name: "debate", State: "skipped"}, {Name: "synthesis", State: "next"}},
		},
		left: forecast.Span{Low: 25 * time.Minute, High: 48 * time.Minute},
		log: []string{
			"[2026-11-22T08:03:00Z] Phase 1: Claude research starting (iteration 1/5)", "[2026-11-22T08:20:00Z] cy: login expired", "later \x1b[2J line",
		},
	}
	add := func(s seat) { s.now = true; l.seats = append(l.seats, s) }
	add(seat{
		Seat: status.Seat{Name: "ada", Role: "research", State: "running", Iteration: 2, Iterations: 5, Activity: "reading https://github.invalid/etcd-raft", Active: noon().Add(-12 * time.Second)},
		name: "ada", kind: "claude", claims: counts{found: 3, located: 2, judged: true}, cost: flow.Cost{USD: 2.1, Tokens: 410_000},
	})
	add(seat{
		Seat: status.Seat{Name: "bo", Role: "research", State: "paused", Iteration: 1, Iterations: 5, Until: noon().Add(4 * time.Minute), Reason: "rate limit"},
		name: "bo", kind: "codex", claims: counts{found: 3, refused: 1}, cost: flow.Cost{Tokens: 280_000},
	})
	add(seat{
		Seat: status.Seat{Name: "cy", Role: "research", State: "running", Iteration: 4, Iterations: 5, Activity: "running /bin/bash -lc 'curl -H CANARY7f3a'", Active: noon().Add(-3 * time.Second)},
		name: "cy", kind: "gemini", claims: counts{found: 2, refused: 1}, cost: flow.Cost{USD: 4.37, Tokens: 900_000}, past: []string{"08:20  research: a turn failed: login expired"},
	})
	add(seat{
		Seat: status.Seat{Name: "librarian", Role: "research", State: "running", Iteration: 1, Iterations: 3, Activity: "reading notes/meeting.md", Active: noon().Add(-34 * time.Minute)},
		name: "librarian", kind: "librarian",
	})
	return l
}

// at is a model that shows a run in a window of a size.
func at(l look, width, height int, s style) *model {
	m := newModel(Doors{Project: "/nowhere", Now: noon}, s)
	m.now, m.reader, m.width, m.height = l, &reader{now: noon}, width, height
	return m
}

func press(t *testing.T, m *model, keys ...string) tea.Cmd {
	t.Helper()
	var cmd tea.Cmd
	for _, k := range keys {
		msg := tea.KeyPressMsg{Code: []rune(k)[0], Text: k}
		switch k {
		case "enter":
			msg = tea.KeyPressMsg{Code: tea.KeyEnter}
		case "esc":
			msg = tea.KeyPressMsg{Code: tea.KeyEscape}
		case "end":
			msg = tea.KeyPressMsg{Code: tea.KeyEnd}
		case "home":
			msg = tea.KeyPressMsg{Code: tea.KeyHome}
		case "pgup":
			msg = tea.KeyPressMsg{Code: tea.KeyPgUp}
		case "up":
			msg = tea.KeyPressMsg{Code: tea.KeyUp}
		case "down":
			msg = tea.KeyPressMsg{Code: tea.KeyDown}
		}
		_, cmd = m.Update(msg)
	}
	return cmd
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got+"\n"), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got+"\n")
}

// bare is a screen without colours and blanks at line ends.
func bare(screen string) string {
	var lines []string
	for line := range strings.SplitSeq(ansi.Strip(screen), "\n") {
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n")
}

func inUTC(t *testing.T) {
	t.Helper()
	was := time.Local
	time.Local = time.UTC
	t.Cleanup(func() { time.Local = was })
}

func TestTheScreenAtEverySize(t *testing.T) {
	inUTC(t)
	for _, c := range []struct {
		name          string
		width, height int
		style         style
	}{
		{"80x24", 80, 24, style{colour: true}},
		{"120x40", 120, 40, style{colour: true}},
		{"200x50", 200, 50, style{colour: true}},
		{"80x24-ascii", 80, 24, style{ascii: true}},
		{"40x12", 40, 12, style{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := at(council(), c.width, c.height, c.style)
			m.book, _ = streams(t, "claude", events(0, 20)+event(strings.Repeat("I look at the README. ", 3)), events(20, 45))
			m.placeBook()
			screen := m.render()
			golden(t, c.name, bare(screen))
			require.NotContains(t, screen, "CANARY")
			require.Equal(t, c.height-1, strings.Count(screen, "\n"))
		})
	}
}

func TestEveryRowFitsEveryWindow(t *testing.T) {
	inUTC(t)
	l := council()
	for i, name := range []string{strings.Repeat("a", 200), "日本語の席", "\u202eadb", "\x1b[31mred", "", "x\ny", "👨‍👩‍👧‍👦", "--help", "%s%n"} {
		s := l.seats[i%4]
		s.Name = name
		l.seats = append(l.seats, s)
	}
	for width := range 140 {
		for _, height := range []int{0, 1, 5, 8, 12, 24, 50} {
			m := at(l, width, height, style{colour: true})
			m.chosen = len(l.seats) - 1
			for _, keys := range []string{"", "?", "r"} {
				if keys != "" && height > 0 {
					press(t, m, keys)
				}
				rows := strings.Split(m.render(), "\n")
				require.LessOrEqual(t, len(rows), max(1, height))
				for _, row := range rows {
					require.LessOrEqual(t, ansi.StringWidth(row), width, "%q in %dx%d", row, width, height)
					require.NotRegexp(t, `\x1b[^\[]|\x1b\[[\d;]*[^\d;m]|[\x00-\x09\x0b-\x1a]|\x{202e}`, row)
				}
				m.page = nil
			}
		}
	}
}

func TestStatesAreToldWithoutColour(t *testing.T) {
	inUTC(t)
	screen := at(council(), 80, 24, style{}).render()
	require.NotRegexp(t, `\x1b\[3\d`, screen)
	for _, word := range []string{"works", "waits", "silent", "[▶ research]", "tries again at 09:14 (in 4 min)", ", over", "failed once", "25–50 min left"} {
		require.Contains(t, bare(screen), word)
	}
	m := at(council(), 80, 24, style{})
	m.now.seats[1].Until = noon().Add(-time.Hour)
	m.now.seats[0].Active = noon().Add(time.Hour)
	require.Contains(t, bare(m.render()), "is due to try again")
	require.Contains(t, bare(m.render()), " now")
}

// TestAFailureIsToldWithWhatToDo has a seat fail whose provider refuses its login: why and
// what to do are told where there is room, and cut nowhere else than at the edge.
func TestAFailureIsToldWithWhatToDo(t *testing.T) {
	inUTC(t)
	l := council()
	l.seats[1] = seat{Seat: status.Seat{Name: "bo", Role: "research", State: "failed", Iterations: 5, Fault: "terminal", Reason: "401: the login has expired; it wrote no report"}, name: "bo", kind: "codex", now: true}
	screen := bare(at(l, 80, 30, style{}).render())
	require.Contains(t, screen, "left no report\n")
	require.Contains(t, screen, "    401: the login has expired; it wrote no report\n")
	require.Contains(t, screen, "    → log in to it anew (`council doctor` checks")
	require.Contains(t, bare(at(l, 80, 16, style{}).render()), "left no report: 401: the login has …")

	m := at(l, 80, 30, style{})
	m.render()
	m.click(tea.Mouse{X: 10, Y: 4 + 4, Button: tea.MouseLeft})
	require.Equal(t, "bo", m.chosenSeat().Name, "its failure is a part of its row")
	m.click(tea.Mouse{X: 10, Y: 4 + 7, Button: tea.MouseLeft})
	require.Equal(t, "cy", m.chosenSeat().Name)

	l.seats[1].Fault, l.seats[1].Reason = "", "what it left cannot be used"
	require.Contains(t, bare(at(l, 120, 30, style{}).render()), "→ this screen shows what bo said (Enter on its row)")
}

func TestASeatThatWorksIsChosenUntilThePersonChooses(t *testing.T) {
	l := council()
	l.seats[0].State = "complete"
	m := at(l, 80, 24, style{})
	m.seen(looked{look: l})
	require.Equal(t, "cy", m.chosenSeat().Name)
	press(t, m, "up")
	m.seen(looked{look: l})
	require.Equal(t, "bo", m.chosenSeat().Name)
}

func TestWhatFailedBeforeIsNoState(t *testing.T) {
	s := seat{Seat: status.Seat{Name: "cy", Role: "research", State: "failed"}}
	require.Equal(t, resting, s.at(noon()), "of a step that is over")
	s.now = true
	require.Equal(t, failing, s.at(noon()))
	s.State = "complete"
	require.Equal(t, over, s.at(noon()))
}

func TestCancelAndFinishAskFirst(t *testing.T) {
	cancels, clock := 0, noon()
	m := at(council(), 80, 24, style{})
	m.doors.Now = func() time.Time { return clock }
	m.doors.Cancel = func(id string) error { cancels++; require.Equal(t, m.now.ID, id); return errors.New("disk full") }
	for _, no := range []string{"enter", "esc", "c", "n", "q"} {
		press(t, m, "c")
		require.Contains(t, bare(m.render()), "Cancel run "+m.now.ID+"?")
		clock = clock.Add(time.Second)
		require.Nil(t, press(t, m, no))
		require.Contains(t, bare(m.render()), "Nothing was done.", no)
	}
	press(t, m, "c", "y")
	require.Contains(t, bare(m.render()), "Cancel run", "a yes at once is no answer")
	m.Update(tea.PasteMsg{Content: "y"})
	m.Update(tea.MouseClickMsg{X: 1, Y: 1, Button: tea.MouseLeft})
	require.Contains(t, bare(m.render()), "Cancel run")
	require.Zero(t, cancels)
	clock = clock.Add(time.Second)
	cmd := press(t, m, "y")
	require.Contains(t, bare(m.render()), "Cancelling")
	m.Update(cmd())
	require.Contains(t, bare(m.render()), "Not cancelled: disk full")
	require.Equal(t, 1, cancels)

	m.doors.Means = func(string) (string, error) { return "The report is written.", nil }
	m.doors.Finish = func(string) (string, error) { return "Soon.", nil }
	m.Update(press(t, m, "f")())
	require.Contains(t, bare(m.render()), "Finish now? The report is written.")
	clock = clock.Add(time.Second)
	m.Update(press(t, m, "y")())
	require.Contains(t, bare(m.render()), "It finishes. Soon.")
	m.doors.Means = func(string) (string, error) { return "", errors.New("it finishes already") }
	m.Update(press(t, m, "f")())
	require.Contains(t, bare(m.render()), "it finishes already")
	m.said = finishing + " Soon."
	now := m.now
	now.Status.Status = "completed"
	m.seen(looked{visit: m.visit, look: now})
	require.NotContains(t, bare(m.render()), "It finishes.")
	press(t, m, "c")
	require.Contains(t, bare(m.render()), "nothing to cancel")
}

func TestANoteIsTextUntilItIsSent(t *testing.T) {
	var sent []string
	m := at(council(), 80, 24, style{})
	m.doors.Note = func(_, text string) (string, error) {
		sent = append(sent, text)
		return "Noted.", nil
	}
	press(t, m, "n", "c", "f", "q", "ä")
	m.Update(tea.PasteMsg{Content: "日本\r\nline two\x1b\x00"})
	require.Contains(t, bare(m.render()), "cfqä日本\nline two")
	press(t, m, "esc")
	require.Contains(t, bare(m.render()), "The note is kept")
	require.Empty(t, sent)
	press(t, m, "n")
	m.Update(press(t, m, "enter")())
	require.Equal(t, []string{"cfqä日本\nline two"}, sent)
	require.Contains(t, bare(m.render()), "Noted.")
	press(t, m, "n", "enter")
	require.Contains(t, bare(m.render()), "An empty note is not sent.")
	press(t, m, "n")
	m.Update(tea.PasteMsg{Content: strings.Repeat("x", 2*maxNote)})
	require.Len(t, m.note.runes, maxNote)
}

func TestDisputesAndClaimsWithTheirPassages(t *testing.T) {
	inUTC(t)
	l := council()
	l.registry = claim.Registry{
		Entries: []claim.Entry{
			{ID: "C1", Text: "Disk is left to the user.", Quote: "disk IO are left to the user", Source: "https://a.invalid/README", Seats: []string{"ada"}, Confidence: claim.High, Location: claim.Location{State: claim.Located, Passage: "disk IO are left to the user", Context: "Both network and disk IO are left to the user. Users implement it."}},
			{ID: "C2", Text: "It brings \x1b[2Ja disk.", Quote: "a disk", Source: "https://b.invalid", Seats: []string{"bo"}, Location: claim.Location{State: claim.NotFound, Reason: "the source does not say so"}},
		},
		Conflicts: []claim.Conflict{{ID: "D1", A: "C1", B: "C2", Kind: "contrary", Severity: "high", Status: "open", Detail: "disk"}},
	}
	m := at(l, 80, 24, style{})
	press(t, m, "d", "enter")
	golden(t, "dispute-80x24", bare(m.render()))
	m.width = 120
	golden(t, "dispute-120x24", bare(m.render()))
	press(t, m, "esc", "esc")
	m.page = m.claimsList("ada", located{title: "claims of ada", entries: m.evidence().claimsOf("ada"), refused: []claim.DeskRefusal{{Seat: "ada", Text: "It is fast.", Reason: "the quotation does not stand there"}}})
	m.Update(press(t, m, "enter")())
	golden(t, "claim-120x24", bare(m.render()))
	require.Contains(t, bare(m.render()), "confidence: high")
	press(t, m, "esc", "down", "enter")
	require.Contains(t, bare(m.render()), "why: the quotation does not stand there")
	press(t, m, "esc", "esc")
	require.Nil(t, m.page)
	m.page = m.claimsList("", located{title: "claims of all seats", entries: []claim.Entry{{Text: "Disk is left.", Kind: claim.Inference, Seats: []string{"bo"}}}, refused: []claim.DeskRefusal{{Seat: "ada", Text: "It is fast."}}})
	require.Contains(t, bare(m.render()), "bo: Disk is left.")
	require.Contains(t, bare(m.render()), "ada: It is fast.")
	m.Update(press(t, m, "enter")())
	require.Contains(t, bare(m.render()), "claim of bo")
	press(t, m, "esc", "esc")
	m.now.registry = claim.Registry{}
	press(t, m, "d")
	require.Contains(t, bare(m.render()), "no disputes")
}

func TestTheReportIsReadOnceTheRunHasEnded(t *testing.T) {
	project, id := t.TempDir(), council().ID
	f, err := workspace.Create(project, id)
	require.NoError(t, err)
	defer f.Close()
	m := at(council(), 80, 24, style{})
	m.doors.Project = project
	press(t, m, "v")
	require.Nil(t, m.page)
	require.Contains(t, bare(m.render()), "There is no report yet")
	require.NotContains(t, bare(m.render()), "v report")

	m.now.Status.Status, m.now.Report = "completed", f.Join(flow.FinalReport)
	press(t, m, "v")
	require.Contains(t, bare(m.render()), "The report cannot be read")
	require.NoError(t, f.Write(flow.FinalReport, []byte("# Which library\n\nTake \x1b[2Jthe first.\n"+strings.Repeat("more\n\n", 40)+"the end\n")))
	require.Contains(t, bare(m.render()), "v report")
	press(t, m, "v")
	shown := bare(m.render())
	require.Contains(t, shown, "# Which library\n\nTake the first.\n")
	require.Contains(t, shown, "Esc back")
	press(t, m, "end")
	require.Contains(t, bare(m.render()), "the end")
	press(t, m, "esc")
	require.Nil(t, m.page)
}

func TestTheMouseChoosesAndScrolls(t *testing.T) {
	m := at(council(), 80, 24, style{})
	m.render()
	m.Update(tea.MouseClickMsg{X: 4, Y: len(m.head()) + 3, Button: tea.MouseLeft})
	require.Equal(t, 1, m.chosen, "two lines a seat")
	m.Update(tea.MouseWheelMsg{X: 4, Y: 4, Button: tea.MouseWheelDown})
	require.Equal(t, 2, m.chosen)
	m.Update(tea.MouseClickMsg{X: 4, Y: 23, Button: tea.MouseLeft})
	require.Equal(t, 2, m.chosen, "no seat is there")
	require.Equal(t, tea.MouseModeCellMotion, m.View().MouseMode)
	press(t, m, "m")
	require.Equal(t, tea.MouseModeNone, m.View().MouseMode)
}

func TestTheChosenSeatStaysChosen(t *testing.T) {
	m := at(council(), 80, 24, style{})
	press(t, m, "down", "down")
	require.Equal(t, "cy", m.chosenSeat().Name)
	later := council()
	later.seats = append(later.seats[2:], later.seats[:2]...)
	m.Update(looked{visit: m.visit, look: later})
	require.Equal(t, "cy", m.chosenSeat().Name)
	m.Update(looked{visit: m.visit + 1, look: look{}})
	require.Equal(t, "cy", m.chosenSeat().Name, "what was looked up for another run is dropped")
	later.seats = nil
	m.Update(looked{visit: m.visit, look: later})
	require.Empty(t, m.chosenSeat().Name)
	require.Contains(t, bare(m.render()), "no seat has begun yet")
	require.Nil(t, press(t, m, "esc", "enter", "o", "esc", "end"), "nothing to choose, and Esc does not leave")
}

// A page of claims that is open shows what comes, and the row that is marked stays the
// claim it was.
func TestAnOpenedPageOfClaimsFollowsTheRun(t *testing.T) {
	l := council()
	found := func(texts ...string) claim.Registry {
		var reg claim.Registry
		for i, text := range texts {
			reg.Entries = append(reg.Entries, claim.Entry{ID: fmt.Sprintf("C%d", i+1), Text: text, Seats: []string{"ada"}})
		}
		return reg
	}
	l.registry = found("Raft elects.", "Disk is left.")
	m := at(l, 80, 24, style{})
	press(t, m, "o", "down")
	require.Contains(t, bare(m.render()), "(2 of 2)")
	m.now.registry = found("It is old.", "It is new.", "Raft elects.", "Disk is left.", "It is fast.")
	m.Update(looked{visit: m.visit, look: m.now})
	screen := bare(m.render())
	require.Contains(t, screen, "(4 of 5)")
	require.Contains(t, screen, "It is fast.")
	require.Regexp(t, `(?m)^› .*Disk is left\.`, screen)
	press(t, m, "enter", "esc", "a")
	require.Contains(t, bare(m.render()), "claims of all seats")
}

// What a run costs is said as everywhere else.
func TestAScreenSaysWhatARunCostsAsEverywhere(t *testing.T) {
	for want, spent := range map[string]status.Money{
		"cost unknown, 12k tokens":        {Tokens: 12_000, Unpriced: 12_000, Turns: 1},
		"$0.42 of $12.00, 900 tokens":     {USD: 0.42, Reported: true, Tokens: 900, Turns: 1},
		"$13.00 of $12.00 (over), 900 to": {USD: 13, Reported: true, Tokens: 900, Turns: 1},
		"$0.00 of $12.00, 0 tokens":       {},
	} {
		l := council()
		l.Spent = spent
		require.Contains(t, bare(at(l, 120, 24, style{}).render()), want)
	}
}

// Early in a run there is little of a log: the claims that come fill a large screen.
func TestALargeScreenShowsClaimsAsTheyCome(t *testing.T) {
	inUTC(t)
	young := council()
	young.log = young.log[:min(2, len(young.log))]
	young.latest = []claim.Entry{
		{Text: "It is fast.", Seats: []string{"ada"}, Location: claim.Location{State: claim.Located}},
		{Text: "It is new.", Seats: []string{"bo"}},
	}
	for _, size := range [][2]int{{200, 50}, {80, 50}} {
		screen := bare(at(young, size[0], size[1], style{}).render())
		require.Contains(t, screen, "claims as they come")
		require.Contains(t, screen, "✓ located      ada: It is fast.")
		require.Contains(t, screen, "○ not checked  bo: It is new.")
	}
	require.NotContains(t, bare(at(young, 80, 24, style{}).render()), "claims as they come")
}

// Before there is a registry a claim is shown by what was found when it was recorded.
func TestWhatIsKnownOfARecordedClaim(t *testing.T) {
	project, l := t.TempDir(), council()
	f, err := workspace.Create(project, l.ID)
	require.NoError(t, err)
	defer f.Close()
	l.seats, l.registry = l.seats[:1], claim.Registry{}
	name := l.seats[0].name
	require.NoError(t, os.Mkdir(f.Join(claim.Records), 0o700))
	require.NoError(t, f.Write(claim.RecordsFile(name), []byte(`{"text":"It is fast.","quote":"It is fast in all of our trials.","source":"a.md","state":"located"}
{"text":"It is new.","quote":"It is new since the last release.","source":"https://a.test/"}
`)))
	v := evidence{look: l, project: project}
	var rows []string
	for _, e := range v.latestClaims() {
		rows = append(rows, v.claimRow(e, ""))
	}
	require.Equal(t, []string{"○ not checked  It is new.", "✓ located      It is fast."}, rows)
}

func TestAReportIsReadableAtATerminal(t *testing.T) {
	require.Equal(t, "How sure: at its peak [1], as [C7] says", readable(`**How sure:** at its peak [\[1\]](#c5 "C5"), as [C7](#c7) says<a id="c1"></a>`))
	require.Equal(t, "[a page](https://a.test/)", readable("[a page](https://a.test/)"))
}
