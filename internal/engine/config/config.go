// Package config is what a person has set: seats, models, limits, prices.
//
// Models, efforts and prices stand in default.yaml and, where they belong to a
// kind of seat, in the defaults.yaml of its room, and nowhere in the code. A
// person's file lies over both. It is the user's own; nothing of it is read from a project, because a setting that
// names a program to start is code.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/research-council/research-council/internal/base/proxy"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/evidence/experiment"
)

// Config is the whole configuration.
type Config struct {
	Seats    []string              `yaml:"seats"`
	Spare    []string              `yaml:"-"` // servers that somebody has set up and no seats beside them: they take part where none of Seats can
	Tier     string                `yaml:"tier"`
	Kinds    map[string]Kind       `yaml:"kinds"`
	Commands map[string]Command    `yaml:"commands"`
	Chat     map[string]Chat       `yaml:"chat"`
	Limits   Limits                `yaml:"limits"`
	Test     Test                  `yaml:"test"`
	Parallel int                   `yaml:"parallel"`
	PerBrand map[string]int        `yaml:"per_brand"`
	Prices   map[string]flow.Price `yaml:"prices"`
	Network  flow.Network          `yaml:"network"`
	Search   Search                `yaml:"search"`
	Library  string                `yaml:"library"` // the person's library that every run reads; "" for none
	Notify   Notify                `yaml:"notify"`
	Notion   Notion                `yaml:"notion"`

	Experiments experiment.Budget `yaml:"experiments"` // of each seat

	Staged    Staged    `yaml:"staged"`
	Telemetry Telemetry `yaml:"telemetry"`
}

// Secrets names the variables of the environment that hold secrets, sorted: no
// child of ours needs to see them but the seat a key is for.
func (c Config) Secrets() []string {
	names := slices.Concat(c.Notify.Variables(), c.Notion.Variables(), c.Telemetry.Variables())
	names = append(names, c.Search.variables()...)
	for _, server := range c.Chat {
		if server.KeyEnv != "" {
			names = append(names, server.KeyEnv)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Kind is a CLI we know how to drive.
type Kind struct {
	Brand    string `yaml:"brand"`
	Program  string `yaml:"program"`
	Max      Model  `yaml:"max"`
	Standard Model  `yaml:"standard"`
	Cheap    Model  `yaml:"cheap"`

	Prices map[string]flow.Price `yaml:"prices,omitempty"` // of its models, for those that have none under prices
}

// Models are the names of its models, each once.
func (k Kind) Models() []string {
	var names []string
	for _, m := range []Model{k.Max, k.Standard, k.Cheap} {
		if m.Model != "" && !slices.Contains(names, m.Model) {
			names = append(names, m.Model)
		}
	}
	return names
}

// Model is what an alias stands for.
type Model struct {
	Model    string `yaml:"model"`
	Effort   string `yaml:"effort,omitempty"`
	Thinking int    `yaml:"thinking,omitempty"` // tokens
}

// Command is an executable that takes part as a seat.
type Command struct {
	Program string   `yaml:"program"`
	Args    []string `yaml:"args"`
	Brand   string   `yaml:"brand"`
	Model   string   `yaml:"model,omitempty"`
	Inherit []string `yaml:"inherit,omitempty"` // variables of the environment it may see, beyond the basics
	Free    bool     `yaml:"free,omitempty"`    // costs nothing
}

// Limits bound a run.
type Limits struct {
	Iterations  int     `yaml:"iterations"`
	Minutes     int     `yaml:"minutes"`
	TurnMinutes int     `yaml:"turn_minutes"`
	USD         float64 `yaml:"usd"`
	Tokens      int64   `yaml:"tokens"`
	Turns       int     `yaml:"turns"`
	NewClaims   int     `yaml:"new_claims"` // an iteration with fewer new claims that stand is dry

	TokensPerUSD map[string]int64 `yaml:"tokens_per_usd"` // by tier: tokens without a price that stand for a dollar; 0 for none

	Patience int `yaml:"patience"` // dry iterations in a row that end a seat's research; 0 never does
}

// Test is what --test stands for.
type Test struct {
	Tier       string  `yaml:"tier"`
	Iterations int     `yaml:"iterations"`
	USD        float64 `yaml:"usd"`
	Minutes    int     `yaml:"minutes"`
}

// Tiers are the aliases a run may name.
func Tiers() []string { return []string{"max", "standard", "cheap"} }

// Path is where the user's file is read from: COUNCIL_CONFIG, or config.yaml
// below the system's place for configuration.
func Path(getenv func(string) string) (string, error) {
	if p := getenv("COUNCIL_CONFIG"); p != "" {
		return p, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find the configuration: %w, nor COUNCIL_CONFIG", err)
	}
	return filepath.Join(dir, "research-council", "config.yaml"), nil
}

// Load reads the defaults and the user's file over them. No file is no error.
func Load(path string) (Config, error) {
	own, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Config{}, fmt.Errorf("read configuration: %w", err)
	}
	c, err := Parse(own)
	if err != nil {
		return Config{}, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// Parse reads a configuration over the defaults: what it leaves out is as
// before. An unknown key is an error: a misspelt limit is no limit.
func Parse(own []byte) (Config, error) { return parse(own, true) }

// parse is the same, with keys that are unknown refused or not.
func parse(own []byte, strict bool) (Config, error) {
	var c Config
	if err := c.decodeOver(Defaults(), true); err != nil {
		return Config{}, fmt.Errorf("read what is configured by default: %w", err)
	}
	programs, servers := maps.Clone(c.Kinds), maps.Clone(c.Chat)
	if err := c.decodeOver(own, strict); err != nil {
		return Config{}, fmt.Errorf("read configuration: %w", err)
	}
	var err error
	if c.Spare, err = overlay(programs, servers, own); err != nil {
		return Config{}, fmt.Errorf("read configuration: %w", err)
	}
	c.Kinds, c.Chat = programs, servers
	c.priceKinds()
	if err := c.check(); err != nil {
		return c, err
	}
	c.Network.Search, c.Network.Contact = c.Search.resolve(), c.Search.Contact
	return c, nil
}

// decodeOver reads a file over what is set already.
func (c *Config) decodeOver(data []byte, strict bool) error {
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(strict)
	if err := d.Decode(c); err != nil && !errors.Is(err, io.EOF) {
		return located(data, err)
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return errors.New("it has to be one document, without a line ---")
	}
	return nil
}

// priceKinds takes the prices that stand with a kind for models that have no
// other.
func (c *Config) priceKinds() {
	prices := maps.Clone(c.Prices)
	if prices == nil {
		prices = map[string]flow.Price{}
	}
	for _, k := range c.Kinds {
		for model, price := range k.Prices {
			if _, named := c.Prices[model]; !named {
				prices[model] = price
			}
		}
	}
	c.Prices = prices
}

// overlay reads a file's kinds and servers each over what it was: the parser
// makes the values of a map anew. It gives the servers that may stand in for seats.
func overlay(programs map[string]Kind, servers map[string]Chat, data []byte) (spare []string, err error) {
	var own struct {
		Seats       yaml.Node
		Kinds, Chat map[string]yaml.Node
	}
	if err := yaml.Unmarshal(data, &own); err != nil {
		return nil, err
	}
	for name := range own.Kinds {
		if _, known := programs[name]; !known {
			return nil, fmt.Errorf("kinds: %q is none this version can drive; a program of your own goes under commands", name)
		}
	}
	usual := maps.Clone(servers)
	err = errors.Join(decodeEach(programs, own.Kinds), decodeEach(servers, own.Chat))
	for _, name := range slices.Sorted(maps.Keys(own.Chat)) {
		if len(own.Seats.Content) == 0 && !reflect.DeepEqual(usual[name], servers[name]) {
			spare = append(spare, name)
		}
	}
	return spare, err
}

func decodeEach[T any](was map[string]T, own map[string]yaml.Node) error {
	for name, node := range own {
		v := was[name]
		if err := node.Decode(&v); err != nil {
			return err
		}
		was[name] = v
	}
	return nil
}

// maxMinutes bounds times, so that none is longer than the clock can count: a
// year.
const maxMinutes = 365 * 24 * 60

func (c Config) check() error {
	if !slices.Contains(Tiers(), c.Tier) || !slices.Contains(Tiers(), c.Test.Tier) {
		return fmt.Errorf("tier has to be one of %s", strings.Join(Tiers(), ", "))
	}
	if c.Limits.Iterations < 1 || c.Test.Iterations < 1 || c.Limits.TurnMinutes < 1 {
		return errors.New("iterations and turn_minutes have to be at least 1")
	}
	if max(c.Limits.Minutes, c.Limits.TurnMinutes, c.Test.Minutes) > maxMinutes {
		return fmt.Errorf("a time cannot be longer than %d minutes", maxMinutes)
	}
	if slices.ContainsFunc(c.numbers(), func(n float64) bool { return !(n >= 0) || math.IsInf(n, 1) }) {
		return errors.New("limits, turns at once and prices cannot be negative, and have to be numbers")
	}
	if err := errors.Join(c.checkKinds(), c.checkCommands(), c.checkChats(), c.checkNetwork(), c.Search.check(), c.Notify.check(), c.Notion.check(), c.Staged.check(), c.Telemetry.check()); err != nil {
		return err
	}
	_, err := c.Expand(c.Seats)
	return err
}

// numbers lists what has to be a number from 0.
func (c Config) numbers() []float64 {
	list := []float64{
		float64(c.Limits.Minutes), c.Limits.USD, float64(c.Limits.Tokens), float64(c.Limits.Turns),
		c.Test.USD, float64(c.Test.Minutes), float64(c.Parallel),
		float64(c.Limits.NewClaims), float64(c.Limits.Patience),
		float64(c.Experiments.Number), float64(c.Experiments.Seconds),
		float64(c.Network.Timeout), float64(c.Network.PerHost), float64(c.Network.Pace),
	}
	for _, n := range c.Limits.TokensPerUSD {
		list = append(list, float64(n))
	}
	for _, n := range c.PerBrand {
		list = append(list, float64(n))
	}
	for _, p := range c.Prices {
		list = append(list, p.Input, p.Output, p.Cached)
	}
	return list
}

func (c Config) checkNetwork() error {
	for name, address := range map[string]string{
		"wayback": c.Network.Wayback, "crossref": c.Network.Crossref, "arxiv": c.Network.ArXiv, "openalex": c.Network.OpenAlex, "doi": c.Network.DOI,
		"unpaywall": c.Network.Unpaywall, "europepmc": c.Network.EuropePMC, "github": c.Network.GitHub,
	} {
		if address != "" && web(address) == nil {
			return fmt.Errorf("network: %s has to be an http or https address, or empty", name)
		}
	}
	if r := c.Network.Render; r != "" && r != flow.RenderAuto && r != flow.RenderOff {
		return fmt.Errorf("network: render has to be %s or %s", flow.RenderAuto, flow.RenderOff)
	}
	if c.Network.Proxy == "" || c.Network.Proxy == proxy.None {
		return nil
	}
	at, err := proxy.Parse(c.Network.Proxy)
	if err != nil {
		return fmt.Errorf("network: proxy: %w, nor %s", err, proxy.None)
	}
	if at.User != nil {
		return errors.New("network: proxy: a user's name and password do not stand in a configuration; leave it empty and set HTTPS_PROXY")
	}
	return nil
}

func (c Config) checkKinds() error {
	for name, k := range c.Kinds {
		if k.Program == "" || k.Brand == "" {
			return fmt.Errorf("kinds: %s has no program or no brand", name)
		}
	}
	return nil
}

func (c Config) checkCommands() error {
	taken := append(Librarians(), librarian, flow.Host, flow.Program, flow.Planner)
	for name, cmd := range c.Commands {
		if _, kind := c.Kinds[name]; kind || !seatName(name) || slices.Contains(taken, name) {
			return fmt.Errorf("commands: %q cannot be a seat's name (lower case letters, digits and dashes; not one of ours)", name)
		}
		if cmd.Program == "" {
			return fmt.Errorf("commands: %s has no program", name)
		}
	}
	return nil
}

func seatName(s string) bool {
	return s != "" && len(s) <= 40 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" && s[0] != '-'
}

// Kinds of seats that are no program of a name.
const (
	chat      = "chat"
	command   = "command"
	librarian = "librarian"
)

// Librarians are the seats that the word librarian stands for: one for each
// kind of file.
func Librarians() []string {
	return []string{"librarian-official", "librarian-code", "librarian-community"}
}

// Names lists every seat that can be asked for.
func (c Config) Names() []string {
	names := append(slices.Sorted(maps.Keys(c.Kinds)), slices.Sorted(maps.Keys(c.Commands))...)
	names = append(names, c.Chats()...)
	return append(append(names, librarian), Librarians()...)
}

// Expand turns the names a person gave into seats' names, each once.
func (c Config) Expand(names []string) ([]string, error) {
	var list []string
	for _, name := range names {
		more := []string{name}
		if name == librarian {
			more = Librarians()
		}
		for _, m := range more {
			if !slices.Contains(c.Names(), m) {
				return nil, fmt.Errorf("no seat is called %q: use some of %s", m, strings.Join(c.Names(), ", "))
			}
			if !slices.Contains(list, m) {
				list = append(list, m)
			}
		}
	}
	return list, nil
}

// Roster resolves seats by name for a tier. A seat whose program the place does
// not find, or whose server it has no key for, is missing, with the reason.
func (c Config) Roster(names []string, tier string, p Resolver) ([]flow.Seat, []flow.Missing) {
	var seats []flow.Seat
	var missing []flow.Missing
	for _, name := range names {
		s := c.seatOf(name, tier)
		if err := c.resolveProgram(&s, p); err != nil {
			missing = append(missing, flow.Missing{Seat: name, Reason: err.Error()})
			continue
		}
		seats = append(seats, s)
	}
	return seats, missing
}

// resolveProgram settles what a seat is started from.
func (c Config) resolveProgram(s *flow.Seat, p Resolver) (err error) {
	switch {
	case s.Kind == chat:
		return c.resolveServer(s, p)
	case s.Program != "":
		s.Program, err = p.Find(s.Program)
	}
	return err
}

func (c Config) seatOf(name, tier string) flow.Seat {
	if slices.Contains(Librarians(), name) {
		return flow.Seat{Name: name, Kind: librarian, Brand: librarian, Free: true}
	}
	if cmd, ok := c.Commands[name]; ok {
		brand := cmd.Brand
		if brand == "" {
			brand = name
		}
		return flow.Seat{
			Name: name, Kind: command, Brand: brand, Program: cmd.Program, Args: cmd.Args,
			Model: cmd.Model, Inherit: cmd.Inherit, Free: cmd.Free, Price: c.Prices[cmd.Model],
		}
	}
	if _, ok := c.Chat[name]; ok {
		return c.chatSeat(name, tier)
	}
	k := c.Kinds[name]
	m := map[string]Model{"max": k.Max, "standard": k.Standard, "cheap": k.Cheap}[tier]
	return flow.Seat{
		Name: name, Kind: name, Brand: k.Brand, Program: k.Program,
		Model: m.Model, Effort: m.Effort, Thinking: m.Thinking, Price: c.Prices[m.Model],
	}
}
