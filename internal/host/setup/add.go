package setup

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/host/program"
)

// AddOptions say which server to add to the configuration, as a seat.
type AddOptions struct {
	Preset string // a name of [config.Presets], or any other with URL
	Name   string // of the seat; the preset's unless given
	URL    string // base address; the preset's unless given
	KeyEnv string // the variable of its key; the preset's unless given
	Model  string // as the server calls it; needed where it has several
	Brand  string // family of its models
	NoTry  bool   // no call is made
	DryRun bool   // nothing is written, and no call made
}

// Added is what came of it.
type Added struct {
	Seat   string   `json:"seat"`
	URL    string   `json:"base_url"`
	Models []string `json:"models"` // that the server has
	Model  string   `json:"model"`
	Payer  string   `json:"who_pays"`
	Path   string   `json:"path"`
	Wrote  bool     `json:"wrote"`
	Text   string   `json:"text,omitempty"` // the configuration as it would be, of a dry run
	Trial  *Trial   `json:"trial,omitempty"`
}

// Add adds a server: it is asked which models it has, one is taken, and a call of it
// tried once it is written. What cannot be asked changes nothing.
func Add(ctx context.Context, e program.Env, o AddOptions) (Added, error) {
	w := &work{Env: e, opt: Options{Yes: true, DryRun: o.DryRun, NoTry: o.NoTry}}
	if err := w.open(); err != nil {
		return Added{}, err
	}
	server, local, err := w.serverOf(o)
	if err != nil {
		return Added{}, err
	}
	a := Added{Seat: cmp.Or(o.Name, o.Preset), URL: server.BaseURL, Path: w.Path, Payer: "the owner of the key in " + server.KeyEnv + ", by use"}
	if server.KeyEnv == "" {
		a.Payer = "nobody: it wants no key"
	}
	if config.Has(w.own, "chat", a.Seat) {
		return a, fmt.Errorf("chat: %s stands in %s already; change it there, or give another --name", a.Seat, w.Path)
	}
	key, err := config.ServerKey(agent.Server{KeyEnv: server.KeyEnv}, w.Getenv)
	if err != nil {
		return a, fmt.Errorf("%w; set it, or name another variable with --key-env", err)
	}
	if a.Models, err = modelsAt(ctx, server.BaseURL, key); err != nil {
		return a, fmt.Errorf("%s was not added: %w", a.Seat, err)
	}
	if a.Model, err = chosen(a.Models, o.Model); err != nil {
		return a, err
	}
	m := config.Model{Model: a.Model}
	server.Max, server.Standard, server.Cheap, server.Free = m, m, m, local && server.KeyEnv == ""
	w.choice = config.Choice{Servers: map[string]config.Chat{a.Seat: server}}
	if err := w.plan(); err != nil {
		return a, err
	}
	if _, err := w.config.Expand([]string{a.Seat}); err != nil {
		return a, err
	}
	if o.DryRun {
		a.Text = w.Text
		return a, nil
	}
	if err := w.write(); err != nil {
		return a, err
	}
	a.Wrote = w.Changed
	if !o.NoTry {
		seats, missing := w.config.Roster([]string{a.Seat}, trialTier, w.Resolver())
		if len(missing) > 0 {
			return a, fmt.Errorf("%s: %s", a.Seat, missing[0].Reason)
		}
		t := w.trySeat(ctx, seats[0])
		a.Trial = &t
	}
	return a, nil
}

// serverOf is the server that is meant, but for its model, and whether it is a preset of
// the person's own machine.
func (w *work) serverOf(o AddOptions) (s config.Chat, local bool, err error) {
	p, known := config.PresetNamed(o.Preset)
	if !known && o.URL == "" {
		var names []string
		for _, p := range config.Presets() {
			names = append(names, p.Name)
		}
		return s, false, usage.Errorf("%q is none that is known (%s); any other server needs --url", o.Preset, strings.Join(names, ", "))
	}
	s = config.Chat{BaseURL: strings.TrimRight(cmp.Or(o.URL, p.BaseURL), "/"), KeyEnv: cmp.Or(o.KeyEnv, p.KeyEnv), Brand: cmp.Or(o.Brand, p.Brand, o.Name, o.Preset)}
	return s, p.Local || !known, s.Check()
}

// chosen is the model to take of those there are.
func chosen(models []string, want string) (string, error) {
	const shown = 30
	list := strings.Join(models[:min(len(models), shown)], ", ")
	if len(models) > shown {
		list += fmt.Sprintf(" and %d more", len(models)-shown)
	}
	switch {
	case want != "" && (len(models) == 0 || slices.Contains(models, want)):
		return want, nil
	case want != "":
		return "", fmt.Errorf("it has no model %q; it has %s", want, list)
	case len(models) == 0:
		return "", fmt.Errorf("it lists no model; name one with --model")
	case len(models) > 1:
		return "", usage.Errorf("it has several models; choose one with --model: %s", list)
	}
	return models[0], nil
}
