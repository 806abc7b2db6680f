package setup

import (
	"context"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/research-council/research-council/internal/agent/chat/openai"
	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/host/doctor"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/output/browser"
	"github.com/research-council/research-council/internal/output/tex"
	"github.com/research-council/research-council/internal/project/confine"
)

// Found is what is on the machine.
type Found struct {
	Seats   []Seat   `json:"seats"`
	Servers []Server `json:"servers"` // that answer on this machine and are no seats yet
	Browser bool     `json:"browser"`
	TeX     []string `json:"tex"`
	Box     bool     `json:"box"` // what models have run is confined
}

// Seat is a program or server that may take part.
type Seat struct {
	Name     string         `json:"name"`
	Ready    bool           `json:"ready"`
	Missing  bool           `json:"missing"`           // its program is not there
	Version  string         `json:"version,omitempty"` // with its path
	Login    string         `json:"login,omitempty"`   // whose, and so who pays
	Findings []doctor.Check `json:"findings"`
}

// Server is a local server of models.
type Server struct {
	Name   string   `json:"name"`
	URL    string   `json:"base_url"`
	Models []string `json:"models"`
}

// localServers are those that listen on this machine unless they are told otherwise.
func localServers() []Server {
	return []Server{
		{Name: "ollama", URL: "http://127.0.0.1:11434/v1"},
		{Name: "lmstudio", URL: "http://127.0.0.1:1234/v1"},
		{Name: "llamacpp", URL: "http://127.0.0.1:8080/v1"},
		{Name: "vllm", URL: "http://127.0.0.1:8000/v1"},
	}
}

// look looks at the machine. No seat is asked anything that costs.
func (w *work) look(ctx context.Context) {
	s := doctor.Subject{Project: w.project, Self: w.Self, Environ: w.Environ, Home: w.Getenv("HOME"), Root: os.Geteuid() == 0, OS: runtime.GOOS, Config: w.config, ConfigPath: w.Path}
	s.Hook, _ = w.HookProgram() // whether there is one is seen when a seat is tried
	var servers []Server
	var all sync.WaitGroup
	all.Go(func() { servers = answering(ctx, w.config) })
	all.Go(func() { _, err := confine.Find(ctx); w.Found.Box = err == nil })
	r := doctor.Seats(ctx, s, doctor.Real(w.Self, s.Hook, program.Find))
	all.Wait()
	for _, name := range w.config.Names() {
		seat := Seat{Name: name, Ready: slices.Contains(r.Seats, name), Findings: []doctor.Check{}}
		for _, c := range r.Checks {
			if c.Area != name {
				continue
			}
			seat.Findings = append(seat.Findings, c)
			switch c.ID {
			case doctor.SeatMissing:
				seat.Missing = true
			case doctor.SeatVersion:
				seat.Version = c.Finding
			case doctor.SeatLogin:
				seat.Login = strings.TrimPrefix(c.Finding, "login: ")
			}
		}
		if len(seat.Findings) > 0 {
			w.Found.Seats = append(w.Found.Seats, seat)
		}
	}
	path := w.Getenv("PATH")
	w.Found.Servers, w.Found.Browser, w.Found.TeX = servers, browser.Available(path), tex.Engines(path)
	if w.Found.TeX == nil {
		w.Found.TeX = []string{}
	}
}

// answering are the local servers that answer, as far as no seat is one of them.
func answering(ctx context.Context, c config.Config) []Server {
	list := localServers()
	var all sync.WaitGroup
	for i := range list {
		all.Go(func() { list[i].Models = modelsOf(ctx, list[i].URL) })
	}
	all.Wait()
	return append([]Server{}, slices.DeleteFunc(list, func(s Server) bool {
		known := slices.Contains(c.Names(), s.Name)
		for _, chat := range c.Chat {
			known = known || strings.TrimSuffix(chat.BaseURL, "/") == s.URL
		}
		return known || len(s.Models) == 0
	})...)
}

// modelsOf are the models a server lists; none where nothing answers at once.
func modelsOf(ctx context.Context, url string) []string {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	list, _ := modelsAt(ctx, url, "") // none is there
	return list
}

// modelsAt are the models a server lists, by their ids; an error says what it has
// answered.
func modelsAt(ctx context.Context, url, key string) ([]string, error) {
	const patience = 20 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	list, err := openai.Models(ctx, url, key)
	var names []string
	for _, m := range list {
		id := m.Get("id").Str
		if id != "" && len(id) < 200 && !strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }) {
			names = append(names, id)
		}
	}
	return names, err
}

// asChat is a local server as the configuration has it: its first model at every tier.
func (s Server) asChat() config.Chat {
	m := config.Model{Model: s.Models[0]}
	const kib = 24 // small models hold little more
	return config.Chat{Brand: "local", BaseURL: s.URL, Max: m, Standard: m, Cheap: m, InputKiB: kib, Free: true}
}

func (f Found) seat(name string) (Seat, bool) {
	for _, s := range f.Seats {
		if s.Name == name {
			return s, true
		}
	}
	return Seat{}, false
}

func (f Found) server(name string) (Server, bool) {
	for _, s := range f.Servers {
		if s.Name == name {
			return s, true
		}
	}
	return Server{}, false
}
