package config

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/evidence/websearch/engine"
)

// Search is how seats look for pages.
type Search struct {
	Engines  []string                 `yaml:"engines"`  // by name; keyless stands for all that take no key
	Contact  string                   `yaml:"contact"`  // an address of mail, for engines that want one
	Services map[string]SearchService `yaml:"services"` // what of an engine is other than usual
}

// SearchService is an engine as a person has set it up; what is left out is as usual.
type SearchService struct {
	URL     string   `yaml:"url,omitempty"`      // base address
	KeyEnv  string   `yaml:"key_env,omitempty"`  // the variable that holds its key
	KeyFile string   `yaml:"key_file,omitempty"` // a file that holds it, for when the variable is not set
	USD     *float64 `yaml:"usd,omitempty"`      // for one search
}

// Keyless stands for all engines that anybody may ask without a key.
const Keyless = "keyless"

// SearchEngines are the engines that are set, each once, in the order they are named.
func (s Search) SearchEngines() []string {
	var names []string
	for _, name := range s.Engines {
		list := []string{name}
		if name == Keyless {
			list = engine.Keyless()
		}
		for _, n := range list {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	return names
}

// resolve makes services of the engines that are set.
func (s Search) resolve() []engine.Service {
	var list []engine.Service
	for _, name := range s.SearchEngines() {
		list = append(list, s.service(name))
	}
	return list
}

// Keyless are the services of all engines that want no key.
func (s Search) Keyless() []engine.Service {
	s.Engines = []string{Keyless}
	return s.resolve()
}

func (s Search) service(name string) engine.Service {
	e, _ := engine.Named(name)
	own := s.Services[name]
	v := engine.Service{Engine: name, URL: strings.TrimRight(own.URL, "/"), KeyEnv: own.KeyEnv, KeyFile: own.KeyFile, USD: e.USD, Contact: s.Contact}
	if v.URL == "" {
		v.URL = e.Base
	}
	if v.KeyEnv == "" && v.KeyFile == "" {
		v.KeyEnv = e.KeyEnv
	}
	if rest, ok := strings.CutPrefix(v.KeyFile, homePrefix); ok {
		home, _ := os.UserHomeDir()
		v.KeyFile = filepath.Join(home, rest)
	}
	if own.USD != nil {
		v.USD = *own.USD
	}
	return v
}

// check never repeats what may be a key in the wrong place.
func (s Search) check() error {
	if s.Contact != "" && (!strings.Contains(s.Contact, "@") || strings.ContainsAny(s.Contact, " \t\r\n<>()\"")) {
		return errors.New("search: contact has to be an address of mail, or empty")
	}
	for _, name := range slices.Concat(s.SearchEngines(), slices.Sorted(maps.Keys(s.Services))) {
		e, ok := engine.Named(name)
		if !ok {
			return fmt.Errorf("search: %q is no engine; there are %s and %s", name, strings.Join(engine.Names(), ", "), Keyless)
		}
		own := s.Services[name]
		switch {
		case own.URL == "" && e.Base == "":
			return fmt.Errorf("search: services: %s: url has to be the address of yours", name)
		case own.KeyFile != "" && !filepath.IsAbs(own.KeyFile) && !strings.HasPrefix(own.KeyFile, homePrefix):
			return fmt.Errorf("search: services: %s: key_file has to be an absolute path, or one that begins with %s", name, homePrefix)
		case !variable(own.KeyEnv):
			return fmt.Errorf("search: services: %s: key_env has to be the name of a variable of the environment, not what it holds", name)
		case own.KeyEnv != "" && !looksSecret(own.KeyEnv):
			return fmt.Errorf("search: services: %s: key_env has to have KEY, TOKEN or SECRET in its name, by which a seat's command line keeps it from commands; or name a key_file", name)
		case own.USD != nil && (!(*own.USD >= 0) || math.IsInf(*own.USD, 1)):
			return fmt.Errorf("search: services: %s: usd has to be a number from 0", name)
		}
		if own.URL != "" {
			if err := checkServerAddress("url", own.URL); err != nil {
				return fmt.Errorf("search: services: %s: %w", name, err)
			}
		}
	}
	return nil
}

// looksSecret reports whether command lines take a variable for a secret by its name.
func looksSecret(name string) bool {
	name = strings.ToUpper(name)
	return strings.Contains(name, "KEY") || strings.Contains(name, "TOKEN") || strings.Contains(name, "SECRET")
}

// variables are those that hold keys.
func (s Search) variables() []string {
	var names []string
	for _, v := range s.resolve() {
		if v.KeyEnv != "" {
			names = append(names, v.KeyEnv)
		}
	}
	return names
}

// SearchKey is the key of an engine; "" where it has none and needs none. An error names
// the variable or the file and never what they hold.
func SearchKey(v engine.Service, getenv func(string) string) (string, error) {
	return ServerKey(agent.Server{KeyEnv: v.KeyEnv, KeyFile: v.KeyFile}, getenv)
}
