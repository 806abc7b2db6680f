// Package scale computes from measured figures what fleets of any size need: requests and
// room of the store, history of the server, machines. docs/SCALE.md has its tables.
package scale

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// Requests to the store, of each kind.
type Requests struct {
	Put  float64 `json:"put"`
	Get  float64 `json:"get"`
	List float64 `json:"list"`
}

// Times so many.
func (r Requests) Times(n float64) Requests { return Requests{r.Put * n, r.Get * n, r.List * n} }

// Plus others.
func (r Requests) Plus(o Requests) Requests {
	return Requests{r.Put + o.Put, r.Get + o.Get, r.List + o.List}
}

// All of them.
func (r Requests) All() float64 { return r.Put + r.Get + r.List }

// Run is what one run of a kind takes.
type Run struct {
	Name     string   `json:"name"`
	Facts    float64  `json:"facts"`
	Turns    float64  `json:"turns"`
	Commits  float64  `json:"commits"`
	Requests Requests `json:"requests"` // from its submission until it is over
	Bytes    float64  `json:"bytes"`    // put into the store
	History  float64  `json:"history"`  // bytes at the server
	Events   float64  `json:"events"`   // at the server
	Seconds  float64  `json:"seconds"`  // from its first fact to its last
	CPU      float64  `json:"cpu"`      // seconds of a core, of worker and council together
}

// Measured are the figures all is computed from.
type Measured struct {
	Idle Requests `json:"idle"` // of a worker without a run, in a minute
	Runs []Run    `json:"runs"`
}

//go:embed measured.json
var measured []byte

// Now are the figures as they were measured last.
func Now() (m Measured, err error) {
	return m, json.Unmarshal(measured, &m)
}

// Assumed is what is not measured.
type Assumed struct {
	AtOnce  float64 // runs a worker has at once
	Minutes float64 // a run takes, with models that think
	Turns   float64 // of such a run
	Facts   float64 // of such a run
	Cores   float64 // of a worker's machine
	Beat    float64 // seconds between a worker's signs of life for one run
	Days    float64 // that the server keeps what is over
	Put     float64 // dollars for a million writes or lists
	Get     float64 // dollars for a million reads
	Limited float64 // requests a turn of a vendor with a limit takes
	Looks   float64 // times a minute that files have changed which no fact speaks of, and are kept
	Look    float64 // writes of such a time
}

// Fleet is what so many workers need.
type Fleet struct {
	Workers  float64
	RunsHour float64 // begun and ended
	Asked    float64 // requests to the store in a second
	Heard    float64 // signs of life at the server in a second
	Events   float64 // the server writes in a second
	History  float64 // bytes the server keeps of what is over
	Room     float64 // bytes put into the store in a day
	Busy     float64 // of each worker's cores, as a share
	USDRun   float64 // for the store's requests, a run
}

// Of so many workers, all of them busy with runs like the one measured, but as long and with
// as many turns and facts as is assumed: what is asked grows with facts, and with time where
// files grow between them.
func Of(workers float64, m Measured, one Run, a Assumed) Fleet {
	grown := a.Facts / one.Facts
	r := one.Requests.Times(grown)
	limited := Requests{Put: a.Turns * a.Limited / 2, Get: a.Turns * a.Limited / 2}
	grows := Requests{Put: a.Minutes * a.Looks * a.Look}
	perRun := r.Plus(limited).Plus(grows)
	runsSecond := workers * a.AtOnce / (a.Minutes * 60)
	idle := m.Idle.Times(workers / 60)
	return Fleet{
		Workers: workers, RunsHour: runsSecond * 3600,
		Asked:   perRun.All()*runsSecond + idle.All(),
		Heard:   workers * a.AtOnce / a.Beat,
		Events:  one.Events * runsSecond,
		History: one.History * runsSecond * 86400 * a.Days,
		Room:    one.Bytes * grown * runsSecond * 86400,
		Busy:    one.CPU / one.Seconds * a.AtOnce / a.Cores,
		USDRun:  ((perRun.Put+perRun.List)*a.Put + perRun.Get*a.Get) / 1e6,
	}
}

// Standard assumptions: those docs/SCALE.md states.
var Standard = Assumed{
	AtOnce: 4, Minutes: 30, Turns: 60, Facts: 400, Cores: 4, Beat: 6.25, Days: 7,
	Put: 5, Get: 0.4, Limited: 7, Looks: 12, Look: 3,
}

// Sizes of fleets that are computed.
var Sizes = [...]float64{10, 100, 1000, 10000}

// Table of what was measured of runs.
func (m Measured) Table() string {
	var b strings.Builder
	b.WriteString("| run | facts | turns | commits | requests to the store (writes, reads, lists) | bytes put | bytes and events at the server | seconds | seconds of a core |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range m.Runs {
		fmt.Fprintf(&b, "| %s | %.0f | %.0f | %.0f | %.0f (%.0f, %.0f, %.0f) | %s | %s, %.0f | %.1f | %.1f |\n",
			r.Name, r.Facts, r.Turns, r.Commits, r.Requests.All(), r.Requests.Put, r.Requests.Get, r.Requests.List, bytes(r.Bytes), bytes(r.History), r.Events, r.Seconds, r.CPU)
	}
	fmt.Fprintf(&b, "\nA worker without a run asks the store %.0f times in a minute.\n", m.Idle.All())
	return b.String()
}

// Scale is the table of fleets whose runs are like one of those measured.
func (m Measured) Scale(one Run, a Assumed) string {
	var b strings.Builder
	b.WriteString("| workers | runs an hour | requests to the store a second | events the server writes a second | signs of life a second | the server keeps | into the store a day | each worker's cores are busy | the store's requests cost a run |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, n := range Sizes {
		f := Of(n, m, one, a)
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %.1f %% | $%.4f |\n", whole(n), whole(f.RunsHour), whole(f.Asked), short(f.Events), whole(f.Heard), bytes(f.History), bytes(f.Room), 100*f.Busy, f.USDRun)
	}
	return b.String()
}

// whole is a number with commas between thousands.
func whole(x float64) string {
	text := fmt.Sprintf("%.0f", math.Ceil(x))
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func short(x float64) string {
	if x < 10 {
		return fmt.Sprintf("%.1f", x)
	}
	return whole(x)
}

func bytes(x float64) string {
	for _, unit := range []string{"B", "kB", "MB", "GB"} {
		if x < 1000 {
			return fmt.Sprintf("%.3g %s", x, unit)
		}
		x /= 1000
	}
	return fmt.Sprintf("%.3g TB", x)
}
