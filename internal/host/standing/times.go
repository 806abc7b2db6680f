package standing

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/plural"
)

// Times are when something runs: the minutes, hours, days and months of a cron line. An
// empty field is every one; days are of the month or of the week, never both. It is read
// here: robfig/cron has had no release since 2020, and adhocore/gronx says only whether a
// time is due, while timers of systems want the numbers of each field.
type Times struct {
	Minutes, Hours, Days, Months, Weekdays []int // sorted; Sunday is 0
}

// field is one of a cron line.
type field struct {
	what     string
	from, to int
	names    []string // by number from from
}

var fields = [...]field{
	{"minute", 0, 59, nil},
	{"hour", 0, 23, nil},
	{"day of the month", 1, 31, nil},
	{"month", 1, 12, []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
	{"day of the week", 0, 7, []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat", "sun"}},
}

// mostADay bounds how often something runs: what the Task Scheduler holds as triggers of a task.
const mostADay = 48

// Cron reads a cron line: minute, hour, day of the month, month, day of the week.
func Cron(line string) (Times, error) {
	words := strings.Fields(line)
	if len(words) != len(fields) {
		return Times{}, fmt.Errorf("it has %s; a cron line has minute, hour, day of the month, month and day of the week, as in '0 6 * * MON'", plural.Of(len(words), "field"))
	}
	var lists [len(fields)][]int
	for i, f := range fields {
		var err error
		if lists[i], err = f.parse(words[i]); err != nil {
			return Times{}, fmt.Errorf("%s %q: %w", f.what, words[i], err)
		}
	}
	t := Times{lists[0], lists[1], lists[2], lists[3], lists[4]}
	every := func(word string) bool { return strings.HasPrefix(word, "*") } // 1-31 names all days, and is not every day to cron
	switch {
	case t.Days != nil && t.Weekdays != nil, !every(words[2]) && !every(words[4]):
		return Times{}, errors.New("name days of the month or of the week, not both: systems do not agree on what both mean")
	case t.aDay() > mostADay:
		return Times{}, fmt.Errorf("that is %d times a day; at most %d", t.aDay(), mostADay)
	case t.Next(time.Now()).IsZero():
		return Times{}, errors.New("no day is like that")
	}
	return t, nil
}

func (t Times) aDay() int { return len(or(t.Minutes, 0, 59)) * len(or(t.Hours, 0, 23)) }

// or is a field with every number where it has none.
func or(list []int, from, to int) []int {
	if list != nil {
		return list
	}
	for n := from; n <= to; n++ {
		list = append(list, n)
	}
	return list
}

// parse reads numbers, names, ranges, steps and lists of them; nil is every one.
func (f field) parse(word string) ([]int, error) {
	var list []int
	for part := range strings.SplitSeq(word, ",") {
		span, stepText, stepped := strings.Cut(part, "/")
		step := 1
		if stepped {
			n, err := strconv.Atoi(stepText)
			if err != nil || n < 1 || n > f.to {
				return nil, fmt.Errorf("a step is a number from 1 to %d", f.to)
			}
			step = n
		}
		from, to, err := f.span(span, stepped)
		if err != nil {
			return nil, err
		}
		for n := from; n <= to; n += step {
			list = append(list, f.wrapped(n))
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) == f.count() {
		return nil, nil
	}
	return list, nil
}

// wrapped is a number as it is kept: both 0 and 7 are Sunday.
func (f field) wrapped(n int) int {
	if f.to == 7 && n == 7 {
		return 0
	}
	return n
}

// count is how many different ones there are.
func (f field) count() int {
	if f.to == 7 {
		return 7
	}
	return f.to - f.from + 1
}

// span are the ends of a range.
func (f field) span(text string, stepped bool) (from, to int, err error) {
	if text == "*" {
		return f.from, f.to, nil
	}
	first, last, ranged := strings.Cut(text, "-")
	if from, err = f.number(first); err != nil {
		return 0, 0, err
	}
	switch {
	case ranged:
		if to, err = f.number(last); err != nil {
			return 0, 0, err
		}
		if f.to == 7 && to == 0 {
			to = 7
		}
	case stepped:
		to = f.to
	default:
		to = from
	}
	if to < from {
		return 0, 0, errors.New("it ends before it begins")
	}
	return from, to, nil
}

func (f field) number(text string) (int, error) {
	if i := slices.Index(f.names, strings.ToLower(text)); i >= 0 {
		return f.from + i, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < f.from || n > f.to || strings.HasPrefix(text, "+") {
		return 0, fmt.Errorf("use numbers from %d to %d", f.from, f.to)
	}
	return n, nil
}

// Every is a cron line that runs something hourly, daily, weekly or monthly, or so often as
// a duration says, counted from a time. A duration fits evenly into a day, or is a week: no
// system keeps others over a night that the machine is off.
func Every(text string, from time.Time) (string, error) {
	minute, hour := from.Minute(), from.Hour()
	switch text {
	case "hourly":
		text = "1h"
	case "daily":
		text = "24h"
	case "weekly":
		text = "168h"
	case "monthly":
		return fmt.Sprintf("%d %d %d * *", minute, hour, min(from.Day(), 28)), nil
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return "", errors.New("use hourly, daily, weekly, monthly, or a duration such as 6h")
	case d == 7*24*time.Hour:
		return fmt.Sprintf("%d %d * * %d", minute, hour, int(from.Weekday())), nil
	case d == 24*time.Hour:
		return fmt.Sprintf("%d %d * * *", minute, hour), nil
	case d == 30*time.Minute:
		return fmt.Sprintf("%d,%d * * * *", minute%30, minute%30+30), nil
	case d < time.Hour || d > 24*time.Hour || 24*time.Hour%d != 0 || d%time.Hour != 0:
		return "", errors.New("use 30m, a number of hours that divides a day (1h, 2h, 3h, 4h, 6h, 8h, 12h, 24h), or 168h; anything else by --cron")
	}
	step := int(d / time.Hour)
	var hours []string
	for h := hour % step; h < 24; h += step {
		hours = append(hours, strconv.Itoa(h))
	}
	return fmt.Sprintf("%d %s * * *", minute, strings.Join(hours, ",")), nil
}

// At is a cron line that runs something each day at a time, as in 06:00, or on days of
// the week, as in "Mon,Thu 06:00".
func At(text string) (string, error) {
	words := strings.Fields(text)
	wrong := errors.New(`use a time of the day, as in 06:00, or days of the week and a time, as in "Mon,Thu 06:00"`)
	if len(words) < 1 || len(words) > 2 {
		return "", wrong
	}
	clock, err := time.Parse("15:04", words[len(words)-1])
	if err != nil {
		return "", wrong
	}
	days := "*"
	if len(words) == 2 {
		days = words[0]
		if _, err := fields[4].parse(days); err != nil {
			return "", wrong
		}
	}
	return fmt.Sprintf("%d %d * * %s", clock.Minute(), clock.Hour(), days), nil
}

// Next is when something runs next after a time, on that time's clock; zero for never.
func (t Times) Next(after time.Time) time.Time {
	year, month, day := after.Date()
	for i := range 366 * 8 { // a 29th of February may be eight years away
		date := time.Date(year, month, day+i, 12, 0, 0, 0, after.Location())
		if !t.on(date) {
			continue
		}
		for _, h := range or(t.Hours, 0, 23) {
			for _, m := range or(t.Minutes, 0, 59) {
				at := time.Date(date.Year(), date.Month(), date.Day(), h, m, 0, 0, after.Location())
				if at.After(after) {
					return at
				}
			}
		}
	}
	return time.Time{}
}

// on reports whether something runs on a day.
func (t Times) on(date time.Time) bool {
	is := func(list []int, n int) bool { return list == nil || slices.Contains(list, n) }
	return is(t.Days, date.Day()) && is(t.Months, int(date.Month())) && is(t.Weekdays, int(date.Weekday()))
}
