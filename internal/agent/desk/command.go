package desk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/project/shell"
)

// A seat that builds has its shell at the desk: a command runs confined to the
// project whatever the seat's own program would have let it do.

const (
	commandSchema = `{"type":"object","required":["command"],"properties":{
"command":{"type":"string","description":"A command line for /bin/sh"},
"directory":{"type":"string","description":"Where it begins, as seen from the project; the project unless told"},
"timeout_seconds":{"type":"integer","minimum":1,"description":"It may take at most; 600 unless told, 900 at most"}}}`

	commandDescription = "Run a command line in the project: builds, tests, linters, package managers, git to look at, anything that reads or writes the project's files. It may write the project and caches, not what agents, shells or git obey (CLAUDE.md, .claude, .github, .envrc, .git), sees no other files of the person's, and asks the registries of packages alone. Nothing outlives it."
)

// Bounds of a command: a seat that is silent for longer is taken for hung.
const (
	commandTime = 10 * time.Minute
	maxTimeout  = 15 * time.Minute
	maxOutput   = 256 << 20 // bytes of its log
	shownFirst  = 4 << 10   // bytes of what it said that are shown, from its beginning
	shownLast   = 16 << 10  // and from its end
)

type commandArgs struct {
	Command   string `json:"command"`
	Directory string `json:"directory,omitempty"`
	Seconds   int    `json:"timeout_seconds,omitempty"`
}

// commandResult is how a command went.
type commandResult struct {
	Exit    int      `json:"exit_code"`
	Output  string   `json:"output"`
	Log     string   `json:"log,omitempty"` // where all of it stands, if it is not shown whole
	Late    bool     `json:"timed_out,omitempty"`
	PutBack []string `json:"put_back,omitempty"`      // protected files, as they were again
	Refused []string `json:"hosts_refused,omitempty"` // not on the list
	Seconds float64  `json:"seconds"`
}

// command is the tool run_command.
func (d *Desk) command(ctx context.Context, _ *mcp.CallToolRequest, in commandArgs) (*mcp.CallToolResult, commandResult, error) {
	if strings.TrimSpace(in.Command) == "" || strings.ContainsRune(in.Command, 0) {
		return nil, commandResult{}, errors.New("there is no command; nothing was run")
	}
	if in.Directory != "" && !filepath.IsLocal(in.Directory) {
		return nil, commandResult{}, fmt.Errorf("%q does not lie in the project; nothing was run", in.Directory)
	}
	s, err := d.openShell(ctx)
	if err != nil {
		return nil, commandResult{}, fmt.Errorf("nothing was run: %w", err)
	}
	log, err := newLog(d.o.Run, d.o.Seat)
	if err != nil {
		return nil, commandResult{}, fmt.Errorf("nothing was run: %w", err)
	}
	most := commandTime
	if in.Seconds > 0 {
		most = min(time.Duration(in.Seconds)*time.Second, maxTimeout)
	}
	began := time.Now()
	r, err := s.Run(ctx, shell.Command{Line: in.Command, Dir: filepath.Join(d.o.Shell.Project, in.Directory), Log: log, Timeout: most, MaxOutput: maxOutput})
	if err != nil {
		return nil, commandResult{}, err
	}
	out := commandResult{Exit: r.Code, Late: r.Late, PutBack: r.PutBack, Refused: s.RefusedHosts(), Seconds: time.Since(began).Round(time.Second / 10).Seconds()}
	if out.Output, err = shortenedLog(log); err != nil {
		return nil, out, fmt.Errorf("read what it said: %w", err)
	}
	if strings.Contains(out.Output, cut) {
		out.Log = log
	}
	if errors.Is(r.Err, proc.ErrFlood) {
		out.Output += "\n[ended: it said too much]"
	} else if r.Err != nil {
		return nil, out, r.Err
	}
	return &mcp.CallToolResult{Content: textContent(out.toText(most))}, out, nil
}

// toText is the answer as a person would be told it.
func (c commandResult) toText(most time.Duration) string {
	var b strings.Builder
	b.WriteString(c.Output)
	if c.Output != "" && !strings.HasSuffix(c.Output, "\n") {
		b.WriteByte('\n')
	}
	switch {
	case c.Late:
		fmt.Fprintf(&b, "[ended: it took longer than %s]", most)
	default:
		fmt.Fprintf(&b, "[exit %d]", c.Exit)
	}
	if len(c.PutBack) > 0 {
		fmt.Fprintf(&b, "\n[put back as they were, for agents, shells or git obey them and the person has not named them: %s]", strings.Join(c.PutBack, ", "))
	}
	if len(c.Refused) > 0 {
		fmt.Fprintf(&b, "\n[hosts refused, for they are not on this campaign's list: %s]", strings.Join(c.Refused, ", "))
	}
	if c.Log != "" {
		b.WriteString("\n[all it said: " + c.Log + "]")
	}
	return b.String()
}

const cut = "\n[… left out …]\n"

// shortenedLog is what a log holds, its middle left out where it is long.
func shortenedLog(log string) (string, error) {
	info, err := os.Stat(log)
	if err != nil {
		return "", err
	}
	if info.Size() <= shownFirst+shownLast {
		data, err := os.ReadFile(log)
		return strings.ToValidUTF8(string(data), "\uFFFD"), err
	}
	f, err := os.Open(log)
	if err != nil {
		return "", err
	}
	defer f.Close()
	first := make([]byte, shownFirst)
	n, err := f.Read(first)
	if err != nil {
		return "", err
	}
	last, err := proc.LastBytes(log, shownLast)
	return strings.ToValidUTF8(string(first[:n])+cut+string(last), "\uFFFD"), err
}

// openShell opens the seat's shell when it is first needed.
func (d *Desk) openShell(ctx context.Context) (*shell.Shell, error) {
	d.commanding.Lock()
	defer d.commanding.Unlock()
	if d.shell != nil {
		return d.shell, nil
	}
	s, err := shell.Open(context.WithoutCancel(ctx), *d.o.Shell)
	if err != nil {
		return nil, err
	}
	if why := s.CheckConfined(); why != nil {
		return nil, fmt.Errorf("commands cannot be confined here: %w", errors.Join(why, s.Close()))
	}
	d.shell = s
	return s, nil
}

// newLog is a file for what the next command says.
func newLog(run, seat string) (string, error) {
	dir := filepath.Join(run, "turns", "commands")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, seat+"-*.log")
	if err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}
