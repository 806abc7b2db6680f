package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/kinds"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/flow"
)

// Trial is one call of a seat.
type Trial struct {
	Seat      string  `json:"seat"`
	Model     string  `json:"model,omitempty"`
	OK        bool    `json:"ok"`
	Problem   string  `json:"problem,omitempty"` // in the seat's own words
	USD       float64 `json:"usd"`
	Estimated bool    `json:"estimated"`
	Tokens    int64   `json:"tokens"`
	Seconds   float64 `json:"seconds"`
}

const (
	trialTime   = 60 * time.Second
	trialTier   = "cheap"
	trialTokens = 20_000 // what a command line says of itself before the question, about
	trialPrompt = "This is a test of the connection. Write no file and use no tool. Answer with the one word: ready\n"
	maxSaid     = 300 // characters of what a seat complains of
)

// trialNames are the seats that a call is made of.
func (w *work) trialNames() []string {
	if w.opt.NoTry || w.opt.DryRun || w.opt.Yes && w.Result.Text == "" && !w.Changed {
		return nil
	}
	var names []string
	for _, s := range w.trialSeats() {
		names = append(names, s.Name)
	}
	return names
}

// trialSeats are the seats with a model that can be asked here.
func (w *work) trialSeats() []flow.Seat {
	seats, _ := w.config.Roster(w.config.Seats, trialTier, w.Resolver())
	var list []flow.Seat
	for _, s := range seats {
		if s.HasModel() {
			list = append(list, s)
		}
	}
	return list
}

// trialCost says what the calls are likely to cost.
func (w *work) trialCost() string {
	known, usd := 0, 0.0
	seats := w.trialSeats()
	for _, s := range seats {
		if p, is := w.config.Prices[s.Model]; is {
			known++
			usd += p.Input * trialTokens / 1e6
		}
		if s.Free {
			known++
		}
	}
	text := fmt.Sprintf("some %d thousand tokens each of its cheap model", trialTokens/1000)
	if known > 0 {
		text += fmt.Sprintf(", about $%.2f together where prices are known", usd)
	}
	return text
}

// try makes a call of each seat, side by side. A seat that does not answer is told and
// stops nothing.
func (w *work) try(ctx context.Context) {
	if w.opt.NoTry || !w.Changed && w.opt.Yes {
		return
	}
	seats := w.trialSeats()
	trials := make([]Trial, len(seats))
	var all sync.WaitGroup
	for i, s := range seats {
		all.Go(func() { trials[i] = w.trySeat(ctx, s) })
	}
	all.Wait()
	w.Trials = append(w.Trials, trials...)
	for _, t := range w.Trials {
		if !t.OK {
			w.problem(t.Seat + ": " + t.Problem)
		}
	}
}

// tryAloud is the same for a person who waits.
func (w *work) tryAloud(ctx context.Context) {
	if w.opt.NoTry {
		return
	}
	w.person.Say(fmt.Sprintf("Trying a call of each seat; that takes a minute at most. Ctrl-C ends it (%s is written).", w.Path))
	w.try(ctx)
}

func (w *work) trySeat(ctx context.Context, s flow.Seat) Trial {
	t, began := Trial{Seat: s.Name, Model: s.Model}, time.Now()
	cost, err := w.call(ctx, s)
	t.USD, t.Estimated, t.Tokens, t.Seconds = cost.USD, cost.Estimated, cost.Tokens, time.Since(began).Round(10*time.Millisecond).Seconds()
	if t.OK = err == nil; !t.OK {
		t.Problem = plain.Line(err.Error(), maxSaid)
	}
	return t
}

// call is one turn of a seat, as a run would make it: the same program, flags and
// environment, in a folder that is gone after.
func (w *work) call(ctx context.Context, s flow.Seat) (flow.Cost, error) {
	dir, err := os.MkdirTemp("", "council-setup-")
	if err != nil {
		return flow.Cost{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system clears what is left
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return flow.Cost{}, err
	}
	hook, err := w.HookProgram()
	if err != nil {
		return flow.Cost{}, err
	}
	k := kinds.Of(s.Kind)
	turn := agent.Turn{
		Run: "setup", Seat: s.Name, Task: "setup", Role: agent.Plan, Dir: dir, Report: filepath.Join(dir, "answer.md"), State: filepath.Join(dir, "state.txt"),
		Prompt: trialPrompt, MaxIterations: 1, Model: s.Model, Effort: s.Effort, Thinking: s.Thinking, Deadline: trialTime, Offline: true,
		Program: s.Program, Args: s.Args, Hook: hook, Council: w.Self, Server: s.Server, Env: k.Environ(w.Environ, s.Inherit...),
	}
	exit, err := w.start(ctx, k, turn)
	if err != nil {
		return flow.Cost{}, err
	}
	reply := k.Read(turn, exit)
	var res flow.Result
	res.AddUsage(flow.Setup{Prices: w.config.Prices}, s, flow.SessionTotal{}, reply.Usages())
	switch {
	case ctx.Err() != nil:
		return res.Cost(), errors.New("interrupted")
	case exit.TimedOut:
		return res.Cost(), fmt.Errorf("no answer within %s", trialTime)
	case reply.Fault != nil:
		return res.Cost(), errors.New(reply.Fault.Message)
	}
	return res.Cost(), nil
}

// start runs a turn to its end, or to the end of its time.
func (w *work) start(ctx context.Context, k agent.Kind, turn agent.Turn) (agent.Exit, error) {
	spec, err := k.Spec(turn)
	if err != nil {
		return agent.Exit{}, err
	}
	logs, err := os.MkdirTemp("", "council-setup-")
	if err != nil {
		return agent.Exit{}, err
	}
	defer func() { _ = os.RemoveAll(logs) }() // the system clears what is left
	file := func(name string) string { return filepath.Join(logs, name) }
	for _, f := range append(spec.Files, agent.File{Path: file("stdin"), Data: spec.Stdin}) {
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
			return agent.Exit{}, err
		}
		if err := os.WriteFile(f.Path, f.Data, 0o600); err != nil {
			return agent.Exit{}, err
		}
	}
	p, err := proc.NewStarter(w.Self, turn.Hook).Start(proc.Spec{
		Argv: spec.Argv, Env: spec.Env, Dir: spec.Dir, Stdin: file("stdin"), Stdout: file("stdout"), Stderr: file("stderr"),
		Mark: "RESEARCH_COUNCIL_SETUP=" + filepath.Base(logs),
	})
	if err != nil {
		return agent.Exit{}, err
	}
	timedOut := false
	timer := time.NewTimer(trialTime)
	defer timer.Stop()
	select {
	case <-p.Done():
	case <-ctx.Done():
		p.End()
	case <-timer.C:
		timedOut = true
		p.End()
	}
	end := p.Wait()
	out, err := os.ReadFile(file("stdout"))
	if err != nil {
		out = nil
	}
	errs, _ := proc.LastBytes(file("stderr"), 64<<10) // what could be read
	return agent.Exit{Code: end.Code, Signal: end.Signal, TimedOut: timedOut, Stopped: ctx.Err() != nil, Stdout: bytes.NewReader(out), Stderr: errs}, end.Err
}

// Line says how it went.
func (t Trial) Line() string {
	if !t.OK {
		return fmt.Sprintf("%-9s %s", t.Seat, t.Problem)
	}
	cost := "no cost told"
	switch {
	case t.USD > 0:
		cost = fmt.Sprintf("$%.4f", t.USD)
		if t.Estimated {
			cost += " estimated"
		}
	case t.Tokens > 0:
		cost = fmt.Sprintf("%d tokens", t.Tokens)
	}
	return strings.TrimRight(fmt.Sprintf("%-9s ok: it answered in %.1f s (%s, %s)", t.Seat, t.Seconds, t.Model, cost), " ")
}
