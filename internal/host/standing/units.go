package standing

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

// Job is what a timer is to start, and when.
type Job struct {
	Name    string
	Program string // council, absolute
	Folder  string // of the standing question, absolute
	Times   Times
}

// argv is what is started.
func (j Job) argv() []string { return []string{j.Program, "schedule", "run", j.Folder} }

// check refuses paths that no unit can hold.
func (j Job) check() error {
	for _, path := range []string{j.Program, j.Folder} {
		if strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\ufffd' }) {
			return fmt.Errorf("%q has a character in it that a timer cannot name: put it elsewhere", path)
		}
	}
	return nil
}

// File is one a system reads.
type File struct {
	Path string `json:"path"` // where it belongs
	Text string `json:"text"`

	utf16 bool // as Windows' tools read it, with the mark of its order in front
}

// bytes are the file's.
func (f File) bytes() []byte {
	if !f.utf16 {
		return []byte(f.Text)
	}
	b := binary.LittleEndian.AppendUint16(nil, 0xFEFF)
	for _, u := range utf16.Encode([]rune(f.Text)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}

// service and timer are systemd's.
func (j Job) service() string {
	words := []string{`"` + strings.ReplaceAll(j.Program, `%`, `%%`) + `"`} // no variable is looked for in it
	for _, w := range j.argv()[1:] {
		words = append(words, systemdWord(w))
	}
	return "[Unit]\nDescription=Standing question of research-council: " + j.Name +
		"\n\n[Service]\nType=oneshot\nExecStart=" + strings.Join(words, " ") + "\n"
}

func (j Job) timer() string {
	return "[Unit]\nDescription=When the standing question " + j.Name + " runs\n\n[Timer]\nOnCalendar=" + j.Times.calendar() +
		"\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n"
}

// systemdWord is one word of ExecStart=, in which \ and " end words, % names a
// specifier and $ a variable.
func systemdWord(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`, `$`, `$$`).Replace(word) + `"`
}

// calendar is an OnCalendar= of systemd.
func (t Times) calendar() string {
	days := ""
	if t.Weekdays != nil {
		var names []string
		for _, d := range t.Weekdays {
			names = append(names, time.Weekday(d).String()[:3])
		}
		days = strings.Join(names, ",") + " "
	}
	return fmt.Sprintf("%s*-%s-%s %s:%s:00", days, numbers(t.Months), numbers(t.Days), numbers(t.Hours), numbers(t.Minutes))
}

func numbers(list []int) string {
	if list == nil {
		return "*"
	}
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = fmt.Sprintf("%02d", n)
	}
	return strings.Join(words, ",")
}

// label is what launchd calls it.
func label(name string) string { return "research-council." + name }

// plist is launchd's.
func (j Job) plist(log string) string {
	var b strings.Builder
	b.WriteString(xml.Header + `<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">` + "\n" +
		`<plist version="1.0">` + "\n<dict>\n")
	fmt.Fprintf(&b, "\t<key>Label</key>\n\t<string>%s</string>\n\t<key>ProgramArguments</key>\n\t<array>\n", label(j.Name))
	for _, w := range j.argv() {
		fmt.Fprintf(&b, "\t\t<string>%s</string>\n", escaped(w))
	}
	b.WriteString("\t</array>\n\t<key>StartCalendarInterval</key>\n\t<array>\n")
	for _, at := range j.Times.intervals() {
		b.WriteString("\t\t<dict>\n")
		for _, p := range at {
			fmt.Fprintf(&b, "\t\t\t<key>%s</key>\n\t\t\t<integer>%d</integer>\n", p.key, p.n)
		}
		b.WriteString("\t\t</dict>\n")
	}
	fmt.Fprintf(&b, "\t</array>\n\t<key>StandardErrorPath</key>\n\t<string>%s</string>\n", escaped(log))
	b.WriteString("\t<key>ProcessType</key>\n\t<string>Background</string>\n</dict>\n</plist>\n")
	return b.String()
}

type pair struct {
	key string
	n   int
}

// intervals are the StartCalendarIntervals of launchd, which knows no lists: one each for
// all that is named together. What is not named is every one.
func (t Times) intervals() [][]pair {
	all := [][]pair{nil}
	for _, f := range []struct {
		key  string
		list []int
	}{{"Month", t.Months}, {"Day", t.Days}, {"Weekday", t.Weekdays}, {"Hour", t.Hours}, {"Minute", t.Minutes}} {
		if f.list == nil {
			continue
		}
		var more [][]pair
		for _, before := range all {
			for _, n := range f.list {
				more = append(more, append(before[:len(before):len(before)], pair{f.key, n}))
			}
		}
		all = more
	}
	return all
}

func escaped(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text)) // memory takes it
	return b.String()
}

// task is Windows' Task Scheduler's. Its triggers begin after now: one that has begun earlier
// was missed to the scheduler, which makes up for it at once.
func (j Job) task(now time.Time) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-16"?>` + "\r\n" +
		`<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">` + "\r\n")
	fmt.Fprintf(&b, "  <RegistrationInfo>\r\n    <Description>Standing question of research-council: %s</Description>\r\n  </RegistrationInfo>\r\n  <Triggers>\r\n", j.Name)
	for _, h := range or(j.Times.Hours, 0, 23) {
		for _, m := range or(j.Times.Minutes, 0, 59) {
			first := now
			if 60*h+m < 60*now.Hour()+now.Minute() {
				first = now.AddDate(0, 0, 1)
			}
			fmt.Fprintf(&b, "    <CalendarTrigger>\r\n      <StartBoundary>%sT%02d:%02d:00</StartBoundary>\r\n%s    </CalendarTrigger>\r\n", first.Format(time.DateOnly), h, m, j.Times.days())
		}
	}
	b.WriteString("  </Triggers>\r\n  <Settings>\r\n    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>\r\n" +
		"    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>\r\n    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>\r\n" +
		"    <StartWhenAvailable>true</StartWhenAvailable>\r\n    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>\r\n  </Settings>\r\n")
	fmt.Fprintf(&b, "  <Actions>\r\n    <Exec>\r\n      <Command>%s</Command>\r\n      <Arguments>schedule run %s</Arguments>\r\n    </Exec>\r\n  </Actions>\r\n</Task>\r\n",
		escaped(j.Program), escaped(`"`+j.Folder+`"`))
	return b.String()
}

// days says on which days a trigger of the Task Scheduler holds.
func (t Times) days() string {
	months := &strings.Builder{}
	for _, m := range or(t.Months, 1, 12) {
		fmt.Fprintf(months, "<%[1]s />", time.Month(m))
	}
	week := &strings.Builder{}
	for _, d := range or(t.Weekdays, 0, 6) {
		fmt.Fprintf(week, "<%s />", time.Weekday(d))
	}
	switch {
	case t.Weekdays != nil && t.Months != nil:
		return "      <ScheduleByMonthDayOfWeek><Weeks><Week>1</Week><Week>2</Week><Week>3</Week><Week>4</Week><Week>Last</Week></Weeks><DaysOfWeek>" + week.String() + "</DaysOfWeek><Months>" + months.String() + "</Months></ScheduleByMonthDayOfWeek>\r\n"
	case t.Weekdays != nil:
		return "      <ScheduleByWeek><DaysOfWeek>" + week.String() + "</DaysOfWeek><WeeksInterval>1</WeeksInterval></ScheduleByWeek>\r\n"
	case t.Days == nil && t.Months == nil:
		return "      <ScheduleByDay><DaysInterval>1</DaysInterval></ScheduleByDay>\r\n"
	}
	days := &strings.Builder{}
	for _, d := range or(t.Days, 1, 31) {
		days.WriteString("<Day>" + strconv.Itoa(d) + "</Day>")
	}
	return "      <ScheduleByMonth><DaysOfMonth>" + days.String() + "</DaysOfMonth><Months>" + months.String() + "</Months></ScheduleByMonth>\r\n"
}

// System is what a timer of is made.
type System struct {
	GOOS   string
	Home   string // the person's
	Config string // XDG_CONFIG_HOME; "" for Home/.config
	UID    int
}

// ErrSystem says that nothing is known of this system's timers.
var ErrSystem = errors.New("no timer of this system is known here; have its own (cron, say) start the command that `council schedule list` shows")

// Timer is how a system comes to start a job, and how it stops to.
type Timer struct {
	Files   []File     `json:"files"`
	Again   [][]string `json:"again,omitempty"` // commands before, where it is installed already; one that fails is nothing
	Install [][]string `json:"install"`         // commands, once the files are there
	Remove  [][]string `json:"remove"`          // commands, while the files are still there
	After   [][]string `json:"after_removal,omitempty"`
}

// Timer of a job.
func (s System) Timer(j Job, now time.Time) (Timer, error) {
	if err := j.check(); err != nil {
		return Timer{}, err
	}
	switch s.GOOS {
	case "linux":
		if strings.ContainsAny(j.Program, "\"'\\") {
			return Timer{}, fmt.Errorf("systemd starts no program with a quotation mark or a backslash in its path, as %q has: put it elsewhere", j.Program)
		}
		return s.systemd(j), nil
	case "darwin":
		return s.launchd(j), nil
	case "windows":
		return s.scheduler(j, now), nil
	}
	return Timer{}, ErrSystem
}

func (s System) systemd(j Job) Timer {
	dir := s.Config
	if dir == "" {
		dir = filepath.Join(s.Home, ".config")
	}
	dir = filepath.Join(dir, "systemd", "user")
	unit := "research-council-" + j.Name
	return Timer{
		Files: []File{
			{Path: filepath.Join(dir, unit+".service"), Text: j.service()},
			{Path: filepath.Join(dir, unit+".timer"), Text: j.timer()},
		},
		Install: [][]string{{"systemctl", "--user", "daemon-reload"}, {"systemctl", "--user", "enable", "--now", unit + ".timer"}},
		Remove:  [][]string{{"systemctl", "--user", "disable", "--now", unit + ".timer"}},
		After:   [][]string{{"systemctl", "--user", "daemon-reload"}},
	}
}

func (s System) launchd(j Job) Timer {
	file := filepath.Join(s.Home, "Library", "LaunchAgents", label(j.Name)+".plist")
	domain := "gui/" + strconv.Itoa(s.UID)
	remove := [][]string{{"launchctl", "bootout", domain + "/" + label(j.Name)}}
	return Timer{
		Files:   []File{{Path: file, Text: j.plist(filepath.Join(j.Folder, logName))}},
		Again:   remove, // launchd refuses what it has
		Install: [][]string{{"launchctl", "bootstrap", domain, file}},
		Remove:  remove,
	}
}

func (s System) scheduler(j Job, now time.Time) Timer {
	file, name := filepath.Join(j.Folder, taskName), `\research-council\`+j.Name
	return Timer{
		Files:   []File{{Path: file, Text: j.task(now), utf16: true}},
		Install: [][]string{{"schtasks", "/Create", "/TN", name, "/XML", file, "/F"}},
		Remove:  [][]string{{"schtasks", "/Delete", "/TN", name, "/F"}},
	}
}
