package supervisor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent/desk"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/evidence/trial"
	"github.com/research-council/research-council/internal/host/verify"
	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/product/codereview/finding"
	"github.com/research-council/research-council/internal/project/shell"
	"github.com/research-council/research-council/test/cli"
)

// serveTrials is a desk as the program serves it.
func serveTrials(ctx context.Context, args []string) error {
	own, err := shell.LoadOptions(args[7], os.Environ())
	if err != nil {
		return err
	}
	d, err := desk.OpenTrials(desk.TrialOptions{Run: args[1], Seat: args[3], Shell: own, Code: args[9]})
	if err != nil {
		return err
	}
	return d.Serve(ctx, os.Stdin, os.Stdout)
}

// fakeClaude is a fake of Claude Code's command line: it finds nothing, and
// where it looks once more it runs a test of each finding at its desk.
func fakeClaude(ctx context.Context, calls string, args []string) error {
	asked, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	report := os.Getenv("RESEARCH_REPORT_PATH")
	name := filepath.Base(report)
	if err := os.WriteFile(filepath.Join(calls, "prompt-"+name), asked, 0o600); err != nil {
		return err
	}
	lines := []string{}
	switch {
	case strings.HasPrefix(name, "judgements"):
		lines = append(lines, `{"summary":"It divides."}`)
	case strings.HasPrefix(name, "checked"):
		if lines, err = lookAgain(ctx, calls, args); err != nil {
			return err
		}
	}
	lines = append(lines, "<!-- RESEARCH_COMPLETE -->")
	if err := os.WriteFile(report, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		return err
	}
	fmt.Printf(`{"type":"result","subtype":"success","session_id":%q,"is_error":false,"result":"done","num_turns":1,"total_cost_usd":0.01,"usage":{"input_tokens":10,"output_tokens":1}}`+"\n", args[slices.Index(args, "--session-id")+1])
	return nil
}

// trying is how the fake tries findings out: the command, the file it writes
// for it, and the file's text by the first word of the finding's title.
type trying struct {
	Command []string
	File    string
	Texts   map[string]string
}

func lookAgain(ctx context.Context, calls string, args []string) ([]string, error) {
	var how trying
	found, err := filepath.Glob("inputs/check-*.jsonl")
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("no findings: %v, %w", found, err)
	}
	data, err := os.ReadFile(found[0])
	if err != nil {
		return nil, err
	}
	asked, err := os.ReadFile(filepath.Join(calls, "trying.json"))
	if err == nil {
		err = json.Unmarshal(asked, &how)
	}
	if err != nil {
		return nil, err
	}
	var session *mcp.ClientSession
	if at := slices.Index(args, "--mcp-config"); at >= 0 {
		var c struct {
			Servers struct {
				Desk struct {
					Command string
					Args    []string
				}
			} `json:"mcpServers"`
		}
		if err := json.Unmarshal([]byte(args[at+1]), &c); err != nil {
			return nil, err
		}
		client := mcp.NewClient(&mcp.Implementation{Name: "claude", Version: "1"}, nil)
		if session, err = client.Connect(ctx, &mcp.CommandTransport{Command: exec.Command(c.Servers.Desk.Command, c.Servers.Desk.Args...)}, nil); err != nil {
			return nil, err
		}
		defer session.Close()
	}
	var lines []string
	for line := range strings.Lines(string(data)) {
		var f struct{ ID, Title string }
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			return nil, err
		}
		verdict := "refuted"
		if session != nil {
			r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "run_test", Arguments: map[string]any{
				"finding": f.ID, "command": how.Command,
				"files": []any{map[string]string{"path": how.File, "text": how.Texts[strings.Fields(f.Title)[0]]}},
			}})
			if err != nil {
				return nil, err
			}
			said, _ := json.Marshal(r.StructuredContent)
			var out struct {
				Exit int `json:"exit_code"`
			}
			if err := json.Unmarshal(said, &out); err != nil || r.IsError {
				return nil, fmt.Errorf("%s: %w", r.Content[0].(*mcp.TextContent).Text, err)
			}
			if out.Exit != 0 {
				verdict = "confirmed"
			}
		}
		lines = append(lines, fmt.Sprintf(`{"id":%q,"verdict":%q,"reason":"I ran the tests, and the code shows it."}`, f.ID, verdict))
	}
	return lines, nil
}

// shop is an ordinary small project, of which a reviewer has found two things:
// one is true, one is false.
type shop struct {
	files   map[string]string
	finds   string // what the reviewer says, in a function of its script
	trying  trying
	command string // as the report shows it
}

// inGo is tried by the real go, which compiles its library for a box that is new.
var inGo = shop{
	files: map[string]string{
		"go.mod":       "module example.invalid/shop\n\ngo 1.21\n",
		"shop.go":      "package shop\n\n// Rate is a part of a whole.\nfunc Rate(part, whole int) int { return part / whole }\n\n// First is the first of a list; 0 for none.\nfunc First(list []int) int {\n\tif len(list) == 0 {\n\t\treturn 0\n\t}\n\treturn list[0]\n}\n",
		"shop_test.go": "package shop\n\nimport \"testing\"\n\nfunc TestRate(t *testing.T) {\n\tif Rate(6, 2) != 3 {\n\t\tt.Fatal(\"wrong\")\n\t}\n}\n",
	},
	finds: `bug_hunter() { say '{"severity":"critical","confidence":"High","file":"shop.go","line":4,"code":"func Rate(part, whole int) int { return part / whole }","category":"zero","title":"Rate divides by zero","description":"whole may be 0."}' '{"severity":"high","confidence":"High","file":"shop.go","line":11,"code":"\treturn list[0]","category":"index","title":"First of an empty list panics","description":"list may be empty."}'; }
`,
	trying: trying{[]string{"go", "test", "-vet=off", "-v", "-run", "TestTrial", "."}, "trial_test.go", map[string]string{
		"Rate":  "package shop\n\nimport \"testing\"\n\nfunc TestTrial(t *testing.T) {\n\tif Rate(1, 0) != 0 {\n\t\tt.Fatal(\"it has a rate\")\n\t}\n}\n",
		"First": "package shop\n\nimport \"testing\"\n\nfunc TestTrial(t *testing.T) {\n\tif First(nil) != 0 {\n\t\tt.Fatal(\"it has a first\")\n\t}\n}\n",
	}},
	command: "go test -vet=off -v -run TestTrial .",
}

// inShell has a runner that speaks as go's does, so that what it runs is counted.
var inShell = shop{
	files: map[string]string{
		"shop.sh": "# What a shop counts.\n\n# rate is a part of a whole.\nrate() { expr \"$1\" / \"$2\"; }\n\n# first is the first of a list; 0 for none.\nfirst() {\n\techo \"${1:-0}\"\n}\n",
		"test.sh": ". ./shop.sh\n[ \"$(rate 6 2)\" = 3 ]\n",
	},
	finds: `bug_hunter() { say '{"severity":"critical","confidence":"High","file":"shop.sh","line":4,"code":"rate() { expr \"$1\" / \"$2\"; }","category":"zero","title":"Rate divides by zero","description":"$2 may be 0."}' '{"severity":"high","confidence":"High","file":"shop.sh","line":8,"code":"\techo \"${1:-0}\"","category":"index","title":"First of an empty list fails","description":"The list may be empty."}'; }
`,
	trying: trying{[]string{"sh", "trial_test.sh"}, "trial_test.sh", map[string]string{
		"Rate":  ". ./shop.sh\nrate 1 0 || { printf -- '--- FAIL: TestTrial (0.00s)\\nFAIL\\tshop\\t0.001s\\n'; exit 1; }\n",
		"First": ". ./shop.sh\n[ \"$(first)\" = 0 ] && printf -- '--- PASS: TestTrial (0.00s)\\nok  \\tshop\\t0.001s\\n'\n",
	}},
	command: "sh trial_test.sh",
}

// tries adds a seat that can be given a desk.
func (s *swept) tries(how trying) {
	said, err := json.Marshal(how)
	require.NoError(s, err)
	require.NoError(s, os.WriteFile(filepath.Join(s.calls, "trying.json"), said, 0o600))
	file := filepath.Join(s.calls, "bea.sh")
	require.NoError(s, os.WriteFile(file, fmt.Appendf(nil, "#!/bin/sh\nexec '%s' fake-claude '%s' \"$@\"\n", self(), s.calls), 0o700))
	s.setup.Seats = append(s.setup.Seats, flow.Seat{Name: "bea", Kind: "claude", Brand: "bea", Program: file})
	codereview.Of(s.setup.Own).Testing, s.setup.Turn = true, 10*time.Minute
}

func (s *swept) ofShop(title string) finding.Merged {
	for _, m := range s.findingsOf().Findings {
		if strings.HasPrefix(m.Title, title) {
			return m
		}
	}
	require.Fail(s, "there is no finding "+title)
	return finding.Merged{}
}

func TestASecondLookTriesFindingsOut(t *testing.T) {
	boxed(t)
	t.Run("by a script", func(t *testing.T) { secondLook(t, inShell, "division by zero") })
	t.Run("of the matrix", func(t *testing.T) {
		cli.InMatrix(t)
		t.Setenv("PATH", machine)
		secondLook(t, inGo, "integer divide by zero")
	})
}

// secondLook has the two findings tried out; fails is what the one that is true
// makes its test say.
func secondLook(t *testing.T, x shop, fails string) {
	s := newSwept(t, x.files, map[string]string{"ada": x.finds})
	s.commit()
	s.tries(x.trying)
	r := s.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	rate, first := s.ofShop("Rate"), s.ofShop("First")
	require.Equal(t, finding.Confirmed, rate.Status)
	require.Equal(t, finding.Disputed, first.Status)
	require.Len(t, rate.Trials, 1)
	require.Equal(t, 1, rate.Trials[0].Exit)
	require.Contains(t, rate.Trials[0].Tail, fails)
	require.Equal(t, x.trying.Texts["Rate"], rate.Trials[0].Files[0].Text)
	require.Len(t, first.Trials, 1)
	require.Zero(t, first.Trials[0].Exit)
	require.Equal(t, "1 test (go)", first.Trials[0].Tests)
	report := s.deep("REVIEW_REPORT.md")
	command, file := regexp.QuoteMeta(x.command), regexp.QuoteMeta(x.trying.File)
	require.Regexp(t, "- Run by the program for bea: `"+command+"`, ended with 1 after [0-9.]+ s.*; with `"+file+"` \\(SHA-256 [0-9a-f]{12}\\)", report)
	require.Regexp(t, "`"+command+"`, ended with 0 after [0-9.]+ s, 1 test", report)
	require.Contains(t, report, fails)
	require.Contains(t, report, "had the program run 2 commands on a copy of the code")
	for name, text := range x.files {
		require.Equal(t, text, s.shown(name))
	}
	require.NoFileExists(t, filepath.Join(s.project, x.trying.File))
	out, err := exec.Command("git", "-C", s.project, "status", "--porcelain", "--", "*.go", "*.sh").CombinedOutput()
	require.NoError(t, err, string(out))
	require.Empty(t, string(out))
	require.Contains(t, s.prompted("checked-bea.jsonl"), "run_test")
	require.Empty(t, s.places(), "the copies are taken away")
	checked, err := verify.Run(s.folder())
	require.NoError(t, err)
	require.Empty(t, checked.Problems)
	records := filepath.Join(s.folder(), trial.RecordsFile("bea"))
	data, err := os.ReadFile(records)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(records, []byte(strings.Replace(string(data), `"exit":1`, `"exit":0`, 1)), 0o600))
	checked, err = verify.Run(s.folder())
	require.NoError(t, err)
	require.Len(t, checked.Problems, 1, "the journal knows what was run")
	require.Equal(t, trial.RecordsFile("bea"), checked.Problems[0].Place)
}

func (s *swept) prompted(name string) string {
	data, err := os.ReadFile(filepath.Join(s.calls, "prompt-"+name))
	require.NoError(s, err)
	return string(data)
}

// places are where copies of this review's code lie.
func (s *swept) places() []string {
	cache, err := os.UserCacheDir()
	require.NoError(s, err)
	found, err := filepath.Glob(filepath.Join(cache, "research-council", "trials", s.setup.ID+"-*"))
	require.NoError(s, err)
	return found
}

func TestWithoutABoxASecondLookRunsNothingAndSaysSo(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*testing.T, *swept)
		says   string
	}{
		"no bubblewrap in the PATH":    {func(*testing.T, *swept) {}, "bubblewrap is not installed"},
		"not wanted":                   {func(_ *testing.T, s *swept) { codereview.Of(s.setup.Own).Testing = false }, "that was not wanted"},
		"nobody could be given a tool": {func(_ *testing.T, s *swept) { s.setup.Seats = s.setup.Seats[:1] }, "no seat can be given a tool"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSwept(t, inShell.files, map[string]string{"ada": inShell.finds})
			s.commit()
			s.tries(inShell.trying)
			c.change(t, s)
			require.Equal(t, flow.Completed, s.run().Status)
			require.Empty(t, s.ofShop("Rate").Trials)
			report := s.deep("REVIEW_REPORT.md")
			require.Contains(t, report, "The second look judges from the code alone: nothing was run, since "+c.says)
			require.NotContains(t, report, "Run by the program")
			require.Empty(t, s.places())
			if len(s.setup.Seats) == 2 {
				require.NotContains(t, s.prompted("checked-bea.jsonl"), "run_test")
				require.Contains(t, report, "I ran the tests", "its word stands as its word")
			}
		})
	}
}

// A run's folder may be somebody else's work: what it names is not removed.
func TestOnlyPlacesOfCopiesAreTakenAway(t *testing.T) {
	s := newSwept(t, inShell.files, map[string]string{"ada": ""})
	codereview.Of(s.setup.Own).Testing = false
	mine := filepath.Join(t.TempDir(), "mine", "box")
	require.NoError(t, os.MkdirAll(mine, 0o700))
	s.begin()
	require.NoError(t, os.WriteFile(filepath.Join(s.folder(), "trials-ada.json"), fmt.Appendf(nil, `{"own":%q}`, mine), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	r, err := supervisor.Supervise(ctx, s.options())
	require.NoError(t, err)
	require.Equal(t, flow.Completed, r.Status)
	require.DirExists(t, mine)
}
