// Package librariantest is what tests of the librarian and of its roles share: a
// seat whose turns are done as a run does them, files to read, claims to arrange.
package librariantest

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/corpus"
	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/claim"
	sources "github.com/research-council/research-council/internal/evidence/source"
)

// Works is a small folder about a bakery's oven controller, whose files
// answer some questions and not others.
var Works = map[string]string{
	"README.md": `# Oven controller

The controller keeps the oven at its set temperature. It reads two sensors and drives one heater.

## When the heater starts

The heater starts when the mean of both sensors has been below the set temperature by more than
the hysteresis for three readings in a row. The hysteresis is four degrees unless the recipe sets another one.

## Safety

A watchdog cuts the power of the heater when no reading has arrived for two seconds.
`,
	"heater.go": `// Copyright 2026 The Bakery. All rights reserved.
// Use of this heater is governed by a license.

package oven

// HeaterPolicy decides when the heater starts and stops. It starts the heater
// below the lower threshold, which is the set temperature less the hysteresis,
// and stops it above the upper one, so that the relay does not chatter.
type HeaterPolicy struct {
	Hysteresis float64
}

// minimumPause is how long the heater rests between two starts: the relay is
// rated for one cycle a minute.
const minimumPause = 60

func (p HeaterPolicy) start(mean, set float64) bool { return mean < set-p.Hysteresis }
`,
	"sensor.go": `package oven

// Sensor reads a thermocouple. Readings that jump by more than twenty degrees
// are dropped, because the wire of the door's sensor breaks easily.
type Sensor struct{ last float64 }
`,
	"heater_test.go": `package oven

// TestHeaterRests holds that the heater does not start twice within a minute,
// even when the door is open and the temperature falls quickly.
func TestHeaterRests() {}
`,
	"CHANGES.md":               "The heater starts one reading later than before, since the relay chattered on windy days.\n",
	"node_modules/x/README.md": "The heater starts when the moon is full, says a foreign module.\n",
	"dump.bin":                 "The heater\x00starts",
	"logo.min.js":              "var heater='starts';",
}

// folder lays files down and gives their folder.
func folder(t testing.TB, files map[string]string) string {
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

// Session is a run's folder, all but its index in memory, and what becomes of a
// turn in it.
type Session struct {
	T          *testing.T
	Files      map[string]string // by path
	Out        bytes.Buffer      // the stream of the last turn
	Wrote      []string          // what was written, in order: the name of each file and how it begins
	Run, Scope string
	Roles      map[string]librarian.Role
}

// NewSession is a run over files, which are laid down.
func NewSession(t *testing.T, files map[string]string) *Session {
	return &Session{T: t, Files: map[string]string{}, Run: t.TempDir(), Scope: folder(t, files)}
}

// IO is what a turn's process reads and writes.
func (s *Session) IO() librarian.TurnIO {
	return librarian.TurnIO{
		Read: func(path string) ([]byte, error) {
			text, ok := s.Files[path]
			if !ok {
				return nil, fs.ErrNotExist
			}
			return []byte(text), nil
		},
		Write: func(path string, data []byte) error {
			s.Files[path] = string(data)
			s.Wrote = append(s.Wrote, filepath.Base(path)+" "+strings.TrimSpace(string(data[:min(len(data), 20)])))
			return nil
		},
		Open: func(ctx context.Context, index, scope string) (librarian.Library, error) {
			c, err := corpus.Open(ctx, index, scope)
			if err != nil {
				return nil, err
			}
			s.T.Cleanup(func() { require.NoError(s.T, c.Close()) })
			return c, nil
		},
		Out:   &s.Out,
		Roles: s.Roles,
	}
}

// Do does a turn as the driver would and judges it as the driver would.
func (s *Session) Do(turn agent.Turn) agent.Reply {
	turn.Run, turn.Council, turn.Scope = "20260101-120000-abcdef", "/opt/council", s.Scope
	turn.Dir = filepath.Join(s.Run, "seats", turn.Seat)
	turn.Report, turn.State = filepath.Join(turn.Dir, turn.Role+".md"), filepath.Join(turn.Dir, "state.txt")
	turn.MaxIterations = max(turn.MaxIterations, 1)
	spec, err := librarian.Kind().Spec(turn)
	require.NoError(s.T, err)
	for _, f := range spec.Files {
		s.Files[f.Path] = string(f.Data)
	}
	s.Out.Reset()
	err = librarian.Main(s.T.Context(), spec.Argv[2], s.IO())
	exit := agent.Exit{Stdout: bytes.NewReader(s.Out.Bytes())}
	if err != nil {
		exit.Code, exit.Stderr = 1, []byte(err.Error())
	}
	return librarian.Kind().Read(turn, exit)
}

// ReadFile is a file of a seat's folder.
func (s *Session) ReadFile(seat, name string) string {
	return s.Files[filepath.Join(s.Run, "seats", seat, name)]
}

// Text makes the scope a library of claims.
func (s *Session) Text(ref string) (claim.Text, error) {
	data, err := os.ReadFile(filepath.Join(s.Scope, filepath.FromSlash(sources.Identify(ref).Path)))
	return claim.Text{Body: string(data)}, err
}

// Claims are a seat's claims, looked up in the scope.
func (s *Session) Claims(seat, role string) []claim.Entry {
	drafts, refused := claim.Decode(strings.NewReader(s.ReadFile(seat, "claims.jsonl")), seat, role)
	require.Empty(s.T, refused)
	return claim.Locate(claim.Register(nil, drafts), s)
}

// HeaterQuestion is one that [Works] answers.
const HeaterQuestion = "When does the heater start?"

// Memory is a library of files that are texts in memory. It ranks by how many
// words of the query a passage holds, weighted by their rarity.
type Memory struct {
	files    map[string]string
	passages []librarian.Passage
	stems    []map[string]bool
}

// NewMemory is the library of files.
func NewMemory(files map[string]string) *Memory {
	m := &Memory{files: files}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for _, p := range librarian.Split(name, files[name]) {
			m.passages = append(m.passages, p)
			m.stems = append(m.stems, wordSet(words.Stems(p.Head+" "+p.Text)))
		}
	}
	return m
}

func wordSet(list []string) map[string]bool {
	s := map[string]bool{}
	for _, w := range list {
		s[w] = true
	}
	return s
}

// Search is that of a library.
func (m *Memory) Search(ctx context.Context, q librarian.Query) ([]librarian.Passage, error) {
	found, err := m.Frequencies(ctx, q.Any)
	var out []librarian.Passage
	for i, p := range m.passages {
		if q.Shard != librarian.All && p.Shard != q.Shard || slices.ContainsFunc(q.Must, func(s string) bool { return !m.stems[i][s] }) {
			continue
		}
		for _, s := range slices.Compact(slices.Sorted(slices.Values(q.Any))) {
			if m.stems[i][s] {
				p.Score += math.Log(1 + float64(len(m.passages))/float64(found[s]))
			}
		}
		if p.Score > 0 || len(q.Any) == 0 {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b librarian.Passage) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	return out[:min(len(out), q.Limit)], err
}

// Frequencies are those of a library.
func (m *Memory) Frequencies(_ context.Context, stems []string) (map[string]int, error) {
	found := map[string]int{}
	for _, s := range slices.Compact(slices.Sorted(slices.Values(stems))) {
		for _, have := range m.stems {
			if have[s] {
				found[s]++
			}
		}
	}
	return found, nil
}

// Lines are those of a file.
func (m *Memory) Lines(path string, first, last int) (string, error) {
	text, ok := m.files[path]
	lines := strings.Split(text, "\n")
	if !ok || first < 1 || last > len(lines) {
		return "", fs.ErrNotExist
	}
	return strings.ReplaceAll(strings.Join(lines[first-1:last], "\n"), "\r", ""), nil
}

// Stats says what there is.
func (m *Memory) Stats() librarian.Stats {
	s := librarian.Stats{Files: len(m.files), Passages: map[librarian.Shard]int{}, Skipped: map[string]int{}}
	for _, p := range m.passages {
		s.Passages[p.Shard]++
	}
	return s
}

// Text makes the library one that claims are checked against.
func (m *Memory) Text(path string) (claim.Text, error) {
	text, ok := m.files[path]
	if !ok {
		return claim.Text{}, fs.ErrNotExist
	}
	return claim.Text{Body: text}, nil
}

// Kettles is a small work on boiling water.
var Kettles = map[string]string{
	"README.md": "# Kettles\n\nA kettle boils water with an electric coil. The thermostat decides when to switch the coil off, because steam bends its bimetal strip.\n\n" +
		"## Scale\n\nLime scale slows the coil down. Vinegar dissolves lime scale within an hour.\n\n## Lids\n\nA lid keeps the steam in, so that the thermostat feels it.\n",
	"coil.go": "// Package kettle boils water.\npackage kettle\n\n// Coil is the electric coil of a kettle. Its power is proportional to\n// the square of the mains voltage.\ntype Coil struct {\n\tohms float64\n}\n\n" +
		"// switchOff ends the heating. It is called by the thermostat once the\n// bimetal strip has bent, and never while the lid is open.\nfunc (c *Coil) switchOff() {}\n",
	"thermostat.go": "package kettle\n\n// Thermostat switches the coil off when the bimetal strip bends. The strip\n// bends at 100 degrees, or earlier at altitude, since steam is cooler there.\ntype Thermostat struct{ strip float64 }\n",
	"coil_test.go":  "package kettle\n\nimport \"testing\"\n\n// The thermostat must not switch the coil off before the water boils: an\n// early bimetal strip made weak tea.\nfunc TestThermostat(t *testing.T) {}\n",
	"NOTES":         "Some say that limescale protects the coil. It does not.\n",
}

// Entry is a claim that was located.
func Entry(n int, text string, seats ...string) claim.Entry {
	return claim.Entry{
		ID: fmt.Sprintf("C%d", n), Text: text, Quote: text, Source: "a.go:1", Key: "a.go", Seats: seats,
		Rounds: []string{agent.Research}, Location: claim.Location{State: claim.Located},
	}
}

// Hostile are words of claims that could become marks, links, code or HTML.
func Hostile() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{
			"see https://example.com/a(b) and www.example.com.", "[C99] and [1] and [^2]", "[x](http://a.b)", "<script>alert(1)</script>", "<!-- c -->", agent.Marker,
			"## Sources", "- item\n\n## Executive Summary\n", "```go\nx\n", "`unbalanced", "``two` three```", "a | b\n--|--", "***", "====", "ftp://x", "me@example.com", "<me@example.com>",
			"[foo]: http://x.y", "&lt;b&gt; &#60;i&#62;", "\\<b>", "!" + "[i](j)", "1. one\n2. two", "> quoted", "\u202e\x00\xff", "Sources:\n- a", "http://", "https://\u200bx.y/z", "[[C1]]", "[C1", "C1]", "HTTPS://X.Y", "mailto:a@b.cc", "$x_1$", "~~a~~",
			"file:///etc/passwd", "[C7](x)", "[C1][2]", "&#91;C99&#93;", "a<b>c", "x^[1]",
		}),
	)
}

// Entries are claims of such words.
func Entries() *rapid.Generator[[]claim.Entry] {
	states := []claim.State{claim.Located, claim.Unchecked, claim.NotFound, "other"}
	one := rapid.Custom(func(t *rapid.T) claim.Entry {
		text := strings.Join(rapid.SliceOfN(Hostile(), 1, 4).Draw(t, "text"), " ")
		e := Entry(0, text, rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "[C9]", "http://x"}), 0, 3).Draw(t, "seats")...)
		e.Location.State = rapid.SampledFrom(states).Draw(t, "state")
		e.Rounds = []string{rapid.SampledFrom([]string{agent.Research, agent.Refinement}).Draw(t, "round")}
		return e
	})
	return rapid.Custom(func(t *rapid.T) []claim.Entry {
		list := rapid.SliceOfN(one, 0, 12).Draw(t, "entries")
		for i := range list {
			list[i].ID = fmt.Sprintf("C%d", i+1)
		}
		return list
	})
}
