package config

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/engine/flow"
)

// Chat is a server that speaks OpenAI's chat completions.
type Chat struct {
	Brand      string `yaml:"brand"` // family of its models; its name when empty
	BaseURL    string `yaml:"base_url"`
	BaseURLEnv string `yaml:"base_url_env,omitempty"` // a variable that goes before base_url where it is set
	KeyEnv     string `yaml:"key_env,omitempty"`      // the variable that holds the key
	KeyFile    string `yaml:"key_file,omitempty"`     // a file that holds it, for when the variable is not set
	Max        Model  `yaml:"max"`
	Standard   Model  `yaml:"standard"`
	Cheap      Model  `yaml:"cheap"`
	InputKiB   int    `yaml:"input_kib,omitempty"` // of files a question may carry; 0 for the usual bound
	Window     int    `yaml:"window,omitempty"`    // tokens its models read and write at once; 0 asks the server
	Output     int    `yaml:"output,omitempty"`    // tokens of an answer at most; 0 leaves it to the server
	Spoken     bool   `yaml:"spoken,omitempty"`    // tools are called in words: it takes no calls
	Free       bool   `yaml:"free,omitempty"`      // costs nothing
}

// Resolver is what seats are resolved in.
type Resolver struct {
	Find   func(program string) (path string, err error)
	Getenv func(name string) string
}

func (c Config) checkChats() error {
	taken := append(Librarians(), librarian, flow.Host, flow.Program, flow.Planner)
	for name, s := range c.Chat {
		_, kind := c.Kinds[name]
		_, program := c.Commands[name]
		if kind || program || !seatName(name) || slices.Contains(taken, name) {
			return fmt.Errorf("chat: %q cannot be a seat's name (lower case letters, digits and dashes; not that of another seat)", name)
		}
		if err := s.Check(); err != nil {
			return fmt.Errorf("chat: %s: %w", name, err)
		}
	}
	return nil
}

// Check says what cannot be of a server, in one line. It never repeats what may hold a secret.
func (s Chat) Check() error {
	if err := checkServerAddress("base_url", s.BaseURL); err != nil {
		return err
	}
	for _, name := range []string{s.KeyEnv, s.BaseURLEnv} {
		if !variable(name) {
			return errors.New("what ends in _env has to be the name of a variable of the environment, not what it holds")
		}
	}
	switch {
	case s.KeyFile != "" && !filepath.IsAbs(s.KeyFile) && !strings.HasPrefix(s.KeyFile, homePrefix):
		return errors.New("key_file has to be an absolute path, or one that begins with " + homePrefix)
	case s.InputKiB < 0 || s.InputKiB > maxInputKiB:
		return fmt.Errorf("input_kib has to be a number from 0 to %d", maxInputKiB)
	case s.Window != 0 && (s.Window < minWindow || s.Window > maxTokens):
		return fmt.Errorf("window has to be 0 or a number of tokens from %d to %d", minWindow, maxTokens)
	case s.Output < 0 || s.Output > maxTokens:
		return fmt.Errorf("output has to be a number of tokens from 0 to %d", maxTokens)
	}
	return nil
}

const (
	homePrefix  = "~/"
	maxInputKiB = 64 << 10
	minWindow   = 4096
	maxTokens   = 100_000_000
)

func checkServerAddress(what, address string) error {
	u := web(address)
	switch {
	case u == nil:
		return errors.New(what + " has to be an http or https address")
	case !isPlainAddress(u):
		return errors.New(what + " cannot hold a user, a password, a query or a fragment; key_env names the variable of the key")
	}
	return nil
}

// chatSeat is a server as a seat, before anybody has looked for its key.
func (c Config) chatSeat(name, tier string) flow.Seat {
	s := c.Chat[name]
	m := map[string]Model{"max": s.Max, "standard": s.Standard, "cheap": s.Cheap}[tier]
	seat := flow.Seat{
		Name: name, Kind: chat, Brand: s.Brand, Model: m.Model, Effort: m.Effort, Free: s.Free, Price: c.Prices[m.Model],
		Server: agent.Server{BaseURL: s.BaseURL, KeyEnv: s.KeyEnv, KeyFile: s.KeyFile, Input: s.InputKiB << 10, Window: s.Window, Output: s.Output, Spoken: s.Spoken},
	}
	if seat.Brand == "" {
		seat.Brand = name
	}
	if s.KeyEnv != "" {
		seat.Inherit = []string{s.KeyEnv}
	}
	return seat
}

// resolveServer settles where a chat seat's server is and that there is a key for it.
func (c Config) resolveServer(s *flow.Seat, p Resolver) error {
	if s.Model == "" {
		return errors.New("no model is configured for this tier")
	}
	if name := c.Chat[s.Name].BaseURLEnv; name != "" && p.Getenv(name) != "" {
		s.Server.BaseURL = strings.TrimSpace(p.Getenv(name))
		if err := checkServerAddress(name, s.Server.BaseURL); err != nil {
			return err
		}
	}
	if rest, ok := strings.CutPrefix(s.Server.KeyFile, homePrefix); ok {
		s.Server.KeyFile = filepath.Join(p.Getenv("HOME"), rest)
	}
	_, err := ServerKey(s.Server, p.Getenv)
	return err
}

// ServerKey is the key of a server: what its variable holds, else its file. A server
// that names neither has none. An error names the variable or the file and
// never what they hold.
func ServerKey(s agent.Server, getenv func(string) string) (string, error) {
	if s.KeyEnv == "" && s.KeyFile == "" {
		return "", nil
	}
	if s.KeyEnv != "" {
		if key := strings.TrimSpace(getenv(s.KeyEnv)); key != "" {
			return key, checkKey(key, s.KeyEnv)
		}
	}
	if s.KeyFile == "" {
		return "", fmt.Errorf("%s is not set", s.KeyEnv)
	}
	key, err := readKeyFile(s.KeyFile)
	if err != nil && s.KeyEnv != "" {
		return "", fmt.Errorf("%s is not set, and %w", s.KeyEnv, err)
	}
	return key, err
}

// maxKeyBytes bounds a key's file, in bytes.
const maxKeyBytes = 64 << 10

// readKeyFile reads a file that nobody else may read.
func readKeyFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("its key file cannot be read: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("its key file cannot be read: %w", err)
	}
	if !info.Mode().IsRegular() || disk.IsOpenToOthers(info) {
		return "", fmt.Errorf("its key file %s can be read by others: chmod 600 it", path)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxKeyBytes))
	if err != nil {
		return "", fmt.Errorf("its key file cannot be read: %w", err)
	}
	key := strings.TrimSpace(string(data))
	if key == "" {
		return "", fmt.Errorf("its key file %s is empty", path)
	}
	return key, checkKey(key, path)
}

// checkKey refuses what cannot be a key: it would not fit into a header.
func checkKey(key, where string) error {
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Errorf("%s holds more than a key: white space, control characters or letters beyond ASCII", where)
	}
	return nil
}

// Chats lists the servers that can be asked for, sorted.
func (c Config) Chats() []string { return slices.Sorted(maps.Keys(c.Chat)) }
