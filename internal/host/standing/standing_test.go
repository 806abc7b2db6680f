package standing

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The times people name, as cron has them.
func TestTimesAreRead(t *testing.T) {
	thursday := time.Date(2026, 11, 26, 14, 37, 5, 0, time.UTC)
	for said, row := range map[string]struct{ line, calendar, next string }{
		"every hourly":      {"37 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23 * * *", "*-*-* *:37:00", "2026-11-26 15:37"},
		"every 6h":          {"37 2,8,14,20 * * *", "*-*-* 02,08,14,20:37:00", "2026-11-26 20:37"},
		"every daily":       {"37 14 * * *", "*-*-* 14:37:00", "2026-11-27 14:37"},
		"every 168h":        {"37 14 * * 4", "Thu *-*-* 14:37:00", "2026-12-03 14:37"},
		"every 30m":         {"7,37 * * * *", "*-*-* *:07,37:00", "2026-11-26 15:07"},
		"every monthly":     {"37 14 26 * *", "*-*-26 14:37:00", "2026-12-26 14:37"},
		"at 06:00":          {"0 6 * * *", "*-*-* 06:00:00", "2026-11-27 06:00"},
		"at Mon,thu 06:05":  {"5 6 * * Mon,thu", "Mon,Thu *-*-* 06:05:00", "2026-11-30 06:05"},
		"at sat-sun 23:59":  {"59 23 * * sat-sun", "Sun,Sat *-*-* 23:59:00", "2026-11-28 23:59"},
		"cron 0 6 1 * *":    {"0 6 1 * *", "*-*-01 06:00:00", "2026-12-01 06:00"},
		"cron 0 */6 * * *":  {"0 */6 * * *", "*-*-* 00,06,12,18:00:00", "2026-11-26 18:00"},
		"cron 0 6 29 FEB *": {"0 6 29 FEB *", "*-02-29 06:00:00", "2028-02-29 06:00"},
		"cron 5 4 * 1-3 7":  {"5 4 * 1-3 7", "Sun *-01,02,03-* 04:05:00", "2027-01-03 04:05"},
	} {
		how, text, _ := strings.Cut(said, " ")
		line, err := text, error(nil)
		switch how {
		case "every":
			line, err = Every(text, thursday)
		case "at":
			line, err = At(text)
		}
		require.NoError(t, err, said)
		require.Equal(t, row.line, line, said)
		times, err := Cron(line)
		require.NoError(t, err, said)
		require.Equal(t, row.calendar, times.calendar(), said)
		require.Equal(t, row.next, times.Next(thursday).Format("2006-01-02 15:04"), said)
	}
}

func TestTimesThatAreNoneAreRefused(t *testing.T) {
	for line, why := range map[string]string{
		"":              "0 fields",
		"0 6 * *":       "4 fields",
		"0 6 * * * *":   "6 fields",
		"60 6 * * *":    "minute \"60\": use numbers from 0 to 59",
		"0 6 0 * *":     "from 1 to 31",
		"0 6 * 13 *":    "from 1 to 12",
		"0 6 * * 8":     "from 0 to 7",
		"0 6 * * FRY":   "from 0 to 7",
		"0 9-6 * * *":   "it ends before it begins",
		"0 6 */0 * *":   "a step is a number",
		"-1 6 * * *":    "use numbers",
		"+1 6 * * *":    "use numbers",
		"0 6 13 * FRI":  "not both",
		"0 6 1-31 * 1":  "not both",
		"0 6 1 * 0-6":   "not both",
		"* * * * *":     "1440 times a day",
		"*/29 * * * *":  "72 times a day",
		"0 6 31 2 *":    "no day is like that",
		"@weekly":       "it has 1 field;",
		"0 6 * * MON;x": "use numbers",
	} {
		_, err := Cron(line)
		require.ErrorContains(t, err, why, line)
	}
	for _, text := range []string{"", "5h", "36h", "90m", "1m", "0s", "-6h", "7d", "yearly", "6"} {
		_, err := Every(text, time.Now())
		require.Error(t, err, text)
	}
	for _, text := range []string{"", "6", "25:00", "06:00 Mon", "Xyz 06:00", "Mon 06:00 UTC", "06:00; reboot"} {
		_, err := At(text)
		require.Error(t, err, text)
	}
}

// hostile is where programs and folders may lie.
const (
	hostile        = `a b%h$HOME${X}'q'\x;&|<>#é`
	hostileProgram = `a b%h$HOME${X};&|<>#é` // systemd starts no program with quotation marks or backslashes in its path
)

// job is one to start from hostile folders; what it starts is there.
func job(t *testing.T, line string) Job {
	t.Helper()
	top := t.TempDir()
	dir := filepath.Join(top, hostileProgram)
	require.NoError(t, os.MkdirAll(dir, 0o755))
	times, err := Cron(line)
	require.NoError(t, err)
	j := Job{Name: "heater", Program: filepath.Join(dir, "council"), Folder: filepath.Join(top, hostile, "standing", "heater"), Times: times}
	require.NoError(t, os.WriteFile(j.Program, []byte("#!/bin/sh\n"), 0o755))
	return j
}

var lines = []string{"0 6 * * MON", "*/30 * * * *", "0 6,18 1-3 * *", "5 4 * 1-3 7", "0 6 * * *"}

func TestSystemdTakesItsUnits(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a path cannot have these characters here")
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	for i, line := range lines[:2] {
		j := job(t, line)
		timer, err := System{GOOS: "linux", Home: t.TempDir()}.Timer(j, time.Now())
		require.NoError(t, err)
		timer.Install = nil
		require.NoError(t, timer.Put(t.Context()))
		require.True(t, timer.IsInstalled())
		if i > 0 {
			continue // one look by systemd is enough for the path
		}
		out, err := exec.CommandContext(t.Context(), analyze, "verify", timer.Files[0].Path, timer.Files[1].Path).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Empty(t, string(out))
	}
}

// words are what systemd starts by a line of ExecStart=, by its manual: quoted words,
// C-style escapes, %% for % and, behind the program, $$ for $.
func words(line string) []string {
	list := strings.Split(strings.Trim(line, `"`), `" "`)
	list[0] = strings.ReplaceAll(list[0], `%%`, `%`)
	for i, w := range list[1:] {
		list[i+1] = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `%%`, `%`, `$$`, `$`).Replace(w)
	}
	return list
}

func TestEverySystemStartsTheSame(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a path cannot have these characters here")
	}
	j := job(t, lines[0])
	_, exec, _ := strings.Cut(j.service(), "ExecStart=")
	require.Equal(t, j.argv(), words(strings.TrimSpace(exec)))

	type dict struct {
		Keys    []string `xml:"key"`
		Strings []string `xml:"string"`
		Arrays  []struct {
			Strings []string `xml:"string"`
			Dicts   []struct {
				Keys     []string `xml:"key"`
				Integers []int    `xml:"integer"`
			} `xml:"dict"`
		} `xml:"array"`
	}
	var plist struct {
		Version string `xml:"version,attr"`
		Dict    dict   `xml:"dict"`
	}
	require.NoError(t, xml.Unmarshal([]byte(j.plist("/log")), &plist))
	require.Equal(t, []string{"Label", "ProgramArguments", "StartCalendarInterval", "StandardErrorPath", "ProcessType"}, plist.Dict.Keys)
	require.Equal(t, j.argv(), plist.Dict.Arrays[0].Strings)
	require.Equal(t, []string{"Weekday", "Hour", "Minute"}, plist.Dict.Arrays[1].Dicts[0].Keys)
	require.Equal(t, []int{1, 6, 0}, plist.Dict.Arrays[1].Dicts[0].Integers)

	task := readTask(t, j)
	require.Equal(t, j.Program, task.Actions.Exec.Command)
	require.Equal(t, `schedule run "`+j.Folder+`"`, task.Actions.Exec.Arguments)
}

// windowsTask is what the schema of the Task Scheduler has of what is used here.
type windowsTask struct {
	XMLName  xml.Name `xml:"http://schemas.microsoft.com/windows/2004/02/mit/task Task"`
	Triggers struct {
		Calendar []struct {
			StartBoundary string
			ByDay         *struct{ DaysInterval int }                     `xml:"ScheduleByDay"`
			ByWeek        *struct{ DaysOfWeek struct{ Days []xml.Name } } `xml:"ScheduleByWeek"`
			ByMonth       *struct{ DaysOfMonth struct{ Day []int } }      `xml:"ScheduleByMonth"`
			ByMonthDay    *struct{ Weeks struct{ Week []string } }        `xml:"ScheduleByMonthDayOfWeek"`
		} `xml:"CalendarTrigger"`
	}
	Actions struct {
		Exec struct{ Command, Arguments string }
	}
}

// readTask reads a task as Windows does: UTF-16 with its mark.
func readTask(t *testing.T, j Job) (task windowsTask) {
	t.Helper()
	timer, err := System{GOOS: "windows"}.Timer(j, time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC))
	require.NoError(t, err)
	data := timer.Files[0].bytes()
	require.Equal(t, []byte{0xFF, 0xFE}, data[:2])
	units := make([]uint16, len(data)/2)
	require.NoError(t, binary.Read(bytes.NewReader(data), binary.LittleEndian, units))
	text := string(utf16.Decode(units[1:]))
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // it is decoded already
	require.NoError(t, d.Decode(&task))
	var order []string // of the top level, which the schema prescribes
	for _, name := range []string{"<RegistrationInfo>", "<Triggers>", "<Settings>", "<Actions>"} {
		order = append(order, name)
		require.Equal(t, 1, strings.Count(text, name))
	}
	require.True(t, slices.IsSortedFunc(order, func(a, b string) int { return strings.Index(text, a) - strings.Index(text, b) }))
	return task
}

func TestTheTaskSchedulerHasATriggerForEachTimeOfADay(t *testing.T) {
	for line, kinds := range map[string]string{lines[0]: "1 week", lines[1]: "48 day", lines[2]: "2 month", lines[3]: "1 weekday of months", lines[4]: "1 day"} {
		task := readTask(t, Job{Name: "x", Program: `C:\council.exe`, Folder: `C:\x`, Times: must(Cron(line))})
		found := map[string]int{}
		for _, c := range task.Triggers.Calendar {
			require.True(t, strings.HasPrefix(c.StartBoundary, "2026-11-26T"), c.StartBoundary)
			for kind, is := range map[string]bool{"day": c.ByDay != nil, "week": c.ByWeek != nil, "month": c.ByMonth != nil, "weekday of months": c.ByMonthDay != nil} {
				if is {
					found[kind]++
				}
			}
		}
		n, kind, _ := strings.Cut(kinds, " ")
		require.Len(t, found, 1, line)
		require.Equal(t, n, strconv.Itoa(found[kind]), line)
	}
}

func must(times Times, err error) Times {
	if err != nil {
		panic(err)
	}
	return times
}

func TestLaunchdHasADictForEachTime(t *testing.T) {
	require.Len(t, must(Cron(lines[1])).intervals(), 2, "each half hour")
	require.Len(t, must(Cron(lines[2])).intervals(), 6)
	require.Equal(t, [][]pair{{{"Hour", 6}, {"Minute", 0}}}, must(Cron(lines[4])).intervals())
}

func TestAPathNoTimerCanNameIsRefused(t *testing.T) {
	for _, path := range []string{"/a\nExecStart=/b", "/a\x00", "/a\x7f"} {
		_, err := System{GOOS: "linux"}.Timer(Job{Name: "x", Program: "/council", Folder: path}, time.Now())
		require.ErrorContains(t, err, "cannot name")
	}
	_, err := System{GOOS: "linux"}.Timer(Job{Name: "x", Program: `/a"b/council`, Folder: "/x"}, time.Now())
	require.ErrorContains(t, err, "put it elsewhere")
	_, err = System{GOOS: "plan9"}.Timer(Job{Name: "x", Program: "/council", Folder: "/x"}, time.Now())
	require.ErrorIs(t, err, ErrSystem)
}

func TestAQuestionIsNamedAfterItself(t *testing.T) {
	for asked, name := range map[string]string{
		"When does the heater start?":                        "when-does-the-heater-start",
		"  --seats: what? ":                                  "seats-what",
		"何時ですか":                                              "question",
		strings.Repeat("a", 100):                             strings.Repeat("a", 46),
		"Which TLS libraries are vulnerable?":                "which-tls-libraries-are-vulnerable",
		"Which TLS libraries are vulnerable to a downgrade?": "which-tls-libraries-are-vulnerable",
	} {
		require.Equal(t, name, NameOf(asked))
		require.NoError(t, CheckName(NameOf(asked)))
	}
}

func TestAQuestionIsKeptOnce(t *testing.T) {
	k := Keeper{Dir: filepath.Join(t.TempDir(), "standing")}
	s := Standing{Name: "heater", Project: "/p", Cron: "0 6 * * *", Flags: []string{"--seats=librarian"}}
	isNew, err := k.Ask(s, "When?")
	require.NoError(t, err)
	require.True(t, isNew)
	s.Began("r1")
	require.NoError(t, k.write(s))
	isNew, err = k.Ask(Standing{Name: "heater", Project: "/p", Cron: "0 6 * * *", Flags: []string{"--seats=librarian"}}, "When?")
	require.NoError(t, err)
	require.False(t, isNew)
	_, err = k.Ask(s, "Why?")
	require.ErrorIs(t, err, ErrOther)
	other := s
	other.Cron = "0 7 * * *"
	_, err = k.Ask(other, "When?")
	require.ErrorIs(t, err, ErrOther)

	letGo, err := k.Hold("heater")
	require.NoError(t, err)
	_, err = k.Hold("heater")
	require.ErrorIs(t, err, ErrBusy)
	require.NoError(t, letGo())

	require.NoError(t, os.MkdirAll(k.Folder("broken"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(k.Folder("broken"), record), []byte("{"), 0o600))
	require.NoError(t, os.MkdirAll(k.Folder("never-kept"), 0o700))
	list, err := k.List()
	require.ErrorContains(t, err, "broken")
	require.NotContains(t, err.Error(), "never-kept", "what was broken off before its record was written is none")
	require.Len(t, list, 1, "one that is broken hides no other")
	names, err := k.Names()
	require.NoError(t, err)
	require.Equal(t, []string{"broken", "heater"}, names)
	require.NoError(t, os.Remove(k.Folder("never-kept")))
	require.Equal(t, []string{"r1"}, list[0].Runs)

	letGo, err = k.Hold("heater")
	require.NoError(t, err)
	require.ErrorIs(t, k.Remove(t.Context(), System{}, "heater"), ErrBusy)
	require.FileExists(t, filepath.Join(k.Folder("heater"), lock))
	_, err = k.Hold("heater")
	require.ErrorIs(t, err, ErrBusy, "who removes it frees no lock of a run")
	require.NoError(t, letGo())
	require.NoError(t, k.Remove(t.Context(), System{}, "heater"))
	require.NoError(t, k.Remove(t.Context(), System{}, "broken"))
	require.NoDirExists(t, k.Dir)
	_, err = k.Read("../heater")
	require.Error(t, err)
	require.False(t, errors.Is(err, ErrNone))
}

// A lock of a question that was removed and asked anew holds nobody: others lock the new one.
func TestALockThatWasRemovedHoldsNothing(t *testing.T) {
	k := Keeper{Dir: filepath.Join(t.TempDir(), "standing")}
	_, err := k.Ask(Standing{Name: "heater"}, "When?")
	require.NoError(t, err)
	first, current, err := k.hold("heater")
	require.NoError(t, err)
	require.True(t, current)
	require.NoError(t, os.Remove(filepath.Join(k.Folder("heater"), lock)))
	letGo, err := k.Hold("heater")
	require.NoError(t, err)
	require.NoError(t, first())
	_, err = k.Hold("heater")
	require.ErrorIs(t, err, ErrBusy)
	require.NoError(t, letGo())
}

// What launchd's runs have said is cut to its last lines once it is long, and who writes
// into it goes on behind them.
func TestALogStaysShort(t *testing.T) {
	k := Keeper{Dir: filepath.Join(t.TempDir(), "standing")}
	_, err := k.Ask(Standing{Name: "heater"}, "When?")
	require.NoError(t, err)
	require.NoError(t, k.TrimLog("heater"), "there is none")
	path := filepath.Join(k.Folder("heater"), logName)
	writes, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	defer writes.Close()
	short := "2026-11-27 06:00 Local research starting (iteration 1/2)\n"
	_, err = writes.WriteString(short)
	require.NoError(t, err)
	require.NoError(t, k.TrimLog("heater"))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, short, string(data))

	_, err = writes.WriteString(strings.Repeat(short, 20_000) + "the last line\n")
	require.NoError(t, err)
	require.NoError(t, k.TrimLog("heater"))
	_, err = writes.WriteString("the next run\n")
	require.NoError(t, err)
	data, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Less(t, len(data), 110_000)
	require.True(t, strings.HasPrefix(string(data), short), "it begins with a whole line")
	require.True(t, strings.HasSuffix(string(data), short+"the last line\nthe next run\n"))
}

func TestAnOldRunIsForgotten(t *testing.T) {
	var s Standing
	for range mostRuns + 5 {
		s.Began("r")
	}
	require.Len(t, s.Runs, mostRuns)
}

// A command that fails leaves no file of the timer behind.
func TestATimerIsTakenAwayWhateverTheSystemSays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.timer")
	timer := Timer{Files: []File{{Path: file, Text: "x"}}, Remove: [][]string{{filepath.Join(t.TempDir(), "none")}}}
	require.NoError(t, timer.Put(t.Context()))
	require.FileExists(t, file)
	require.Error(t, timer.TakeAway(t.Context()))
	require.NoFileExists(t, file)
}

// A system that refuses a timer has none: its files are taken back, but those of one that
// it had before.
func TestATimerThatIsRefusedIsNotInstalled(t *testing.T) {
	dir := t.TempDir()
	none := [][]string{{filepath.Join(dir, "none")}}
	timer := Timer{Files: []File{{Path: filepath.Join(dir, "x.service")}, {Path: filepath.Join(dir, "x.timer")}}, Install: none}
	require.Error(t, timer.Put(t.Context()))
	require.False(t, slices.ContainsFunc(timer.Files, File.isThere))
	timer.Install, timer.Again = nil, none
	require.NoError(t, timer.Put(t.Context()))
	require.NoError(t, timer.Put(t.Context()), "what had to go first was not there")
	timer.Install = none
	require.Error(t, timer.Put(t.Context()))
	require.True(t, timer.IsInstalled())
}

// launchd and the Task Scheduler: one refuses what it has, the other makes up at once for
// what lies before now.
func TestATimerIsInstalledAgainAndBeginsLater(t *testing.T) {
	at := time.Date(2026, 12, 31, 14, 30, 0, 0, time.UTC)
	j := Job{Name: "x", Program: "/council", Folder: "/x", Times: must(Cron("30 6,14,22 * * *"))}
	mac, err := System{GOOS: "darwin", Home: "/Users/ada", UID: 501}.Timer(j, at)
	require.NoError(t, err)
	require.Equal(t, [][]string{{"launchctl", "bootout", "gui/501/research-council.x"}}, mac.Again)
	task := j.task(at)
	for _, first := range []string{"2027-01-01T06:30:00", "2026-12-31T14:30:00", "2026-12-31T22:30:00"} {
		require.Contains(t, task, "<StartBoundary>"+first+"</StartBoundary>")
	}
}

// A question is removed with what is left of its timer, and can be removed when its record
// cannot be read.
func TestWhatIsLeftOfAQuestionIsRemoved(t *testing.T) {
	k, system := Keeper{Dir: filepath.Join(t.TempDir(), "standing")}, System{GOOS: "darwin", Home: t.TempDir()}
	require.NoError(t, os.MkdirAll(k.Folder("heater"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(k.Folder("heater"), record), []byte("{"), 0o600))
	_, err := k.Change("heater", func(*Standing) {})
	require.Error(t, err)
	require.NoError(t, k.Remove(t.Context(), system, "heater"))
	require.NoDirExists(t, k.Dir)
	require.Error(t, k.Remove(t.Context(), system, "../heater"))
}

// A run that is noted and a pause that is said at the same time are both kept.
func TestChangesAtTheSameTimeAreAllKept(t *testing.T) {
	k := Keeper{Dir: filepath.Join(t.TempDir(), "standing")}
	_, err := k.Ask(Standing{Name: "heater"}, "When?")
	require.NoError(t, err)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			_, err := k.Change("heater", func(s *Standing) { s.Began(strconv.Itoa(i)) })
			assert.NoError(t, err)
		})
	}
	all.Wait()
	s, err := k.Read("heater")
	require.NoError(t, err)
	require.Len(t, s.Runs, 20)
	_, err = k.Ask(Standing{Name: "heater", Environ: map[string]string{"PATH": "/new"}}, "When?")
	require.NoError(t, err)
	s, err = k.Read("heater")
	require.NoError(t, err)
	require.Equal(t, "/new", s.Environ["PATH"], "programs are elsewhere now")
	require.Len(t, s.Runs, 20)
}
