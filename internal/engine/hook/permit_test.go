package hook_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/engine/hook"
)

func TestParseLine(t *testing.T) {
	for command, want := range map[string]hook.ShellLine{
		"council campaign end":                              {Words: []string{"council", "campaign", "end"}},
		" council\tx  y \n\n":                               {Words: []string{"council", "x", "y"}},
		`council 'a; b $(c)' "it's \"1\" \\ !"`:             {Words: []string{"council", "a; b $(c)", `it's "1" \ !`}},
		`council a'b'"c"d '' ""`:                            {Words: []string{"council", "abcd", "", ""}},
		"council é=ß 'two\nlines'":                          {Words: []string{"council", "é=ß", "two\nlines"}},
		"council x < 'a b' y":                               {Words: []string{"council", "x", "y"}, File: "a b"},
		"council x <a":                                      {Words: []string{"council", "x"}, File: "a"},
		"council x <<'END' y\na\n $(b) 'c\nEND \nEND":       {Words: []string{"council", "x", "y"}, Text: "a\n $(b) 'c\nEND \n"},
		"council x << \"E_1\"\nE_1\n \t\n":                  {Words: []string{"council", "x"}},
		"'council' \"x\"":                                   {Words: []string{"council", "x"}},
		"<a council x":                                      {Words: []string{"council", "x"}, File: "a"},
		"council a=b --flag=c,d:e@f%g+h /i/./j -1":          {Words: []string{"council", "a=b", "--flag=c,d:e@f%g+h", "/i/./j", "-1"}},
		"council x <<'A'\n" + strings.Repeat("\n", 9) + "A": {Words: []string{"council", "x"}, Text: strings.Repeat("\n", 9)},
	} {
		line, ok := hook.ParseShellLine(command)
		require.True(t, ok, command)
		require.Equal(t, want, line, command)
	}
	for _, command := range []string{
		"", " ", "\n", "<a", "\ncouncil x", "council x\ny", "council x;y", "council x &", "council x & y", "council x && y", "council x | y", "council x > y", "council x >y",
		"council x 2>&1", "council (x)", "(council x)", "council {a,b}", "{ council x }", "council $x", "council \"$x\"", "council `x`", "council \"`x`\"",
		"council \"\\x\"", "council \"a\\\nb\"", "council \\\nx", "council a\\ b", "council *", "council a?", "council [a]", "council ~", "council ~/x", "council !x", "council #x", "council a^b",
		"council 'x", "council \"x", "council \"x\\", "council =ls", "A=b council x 'y", "council x <", "council x < ", "council x < \n", "council x <a <b", "council x <a <<'E'\nE",
		"council x<a", "council 0<a", "council x <a<b", "council x <&0", "council x <>a", "council x <<<a", "council x <<< 'a'", "council x <(y)", "council x < <(y)",
		"council x <<E\nE", "council x <<-'E'\nE", "council x <<'E'", "council x <<'E'\n", "council x <<'E'\nE \n", "council x <<'E'\n E", "council x <<'E'\nE\ny", "council x <<''\n\n",
		"council x <<'E'y\nE", "council x <<E'F'\nEF", "council x <<'E' <<'F'\nE\nF", "council x <<'E F'\nE F", "council x <<'E\nF'\nE\nF", "council x <<'E'; y\nE", "council x <<'E' && y\nE",
		"council x </dev/tcp/a.invalid/80", "council x < /dev/null", "council x < //dev/tcp/a/1", "council x < '/x/../dev/fd/0'", "council x\x00", "council 'x\x00'", "council 'x\r'", "council '\x1b'", "council '\x7f'", "council \xff", "council '\xff'",
		"council \u00a0x", "council x\u2028y", "council “x”", "council x …", "council\vx",
	} {
		_, ok := hook.ParseShellLine(command)
		require.False(t, ok, "%q", command)
	}
}

func TestCampaignCommand(t *testing.T) {
	const program = "/plug in/bin/council"
	for command, reads := range map[string][]string{
		"council campaign begin": nil, " council campaign begin ": nil, "'/plug in/bin/council' campaign begin": nil, "\"/plug in/bin/council\" campaign end": nil,
		"council campaign end --file - <<'END'\nIt's done; `all` $of it.\nEND": nil, "council campaign record --claims - < claims.jsonl": {"claims.jsonl"},
		"council campaign record --section report/a --file=x.md --claims /y": {"x.md", "/y"}, "council campaign record --file \"\"": {""}, "council campaign record --file --claims": {"--claims"},
		"council campaign feature pass F001 --summary 'a & b'": nil, "council campaign blocker add --text \"x\"": nil, "council campaign blocker resolve --how x B2": nil,
		"council campaign end --summary 'The flag --allow is read.'": nil, "council campaign end --summary --project": nil,
	} {
		files, ok := hook.ParseCampaignCommand(command, program)
		require.True(t, ok, command)
		require.Equal(t, reads, files, command)
	}
	for _, command := range []string{
		"council", "council campaign", "council campaign run research x y", "council campaign resume x", "council campaign list", "council run x", "council doctor", "council --json campaign end",
		"council campaign --project /x run", "council campaign end; id", "council campaign end && id", "cd /x && council campaign end", "X=y council campaign end", "env council campaign end",
		"/tmp/bin/council campaign end", "./council campaign end", "bin/council campaign end", "/plug in/bin/council campaign end", "bash -c 'council campaign end'", "councils campaign end",
		"council campaign end --project /x", "council campaign end --project=/x", "council campaign end --campaign other", "council campaign end -p x", "council campaign end --", "council campaign end --file", "council campaign end x",
		"council campaign feature pass F001 F002", "council campaign feature edit F001", "council campaign feature", "council campaign blocker", "council campaign blocker add x",
		"council campaign begin x", "council campaign begin --json", "council campaign begin < x", "council campaign begin <<'A'\nx\nA", "council campaign begin full-auto --skip-permissions", "council campaign begin '--allow' 'Bash(rm:*)'",
		"council campaign begin research --arguments - <<'ARGUMENTS'\n'kettles' 'How & why?'\nARGUMENTS", "council 'campaign' begin", "'council' campaign begin", "coun'cil' campaign begin",
		"council campaign end --allow=x", "council campaign end > x", "council campaign restore-transcript", "council pdf x.tex", "council pdf `x`", "",
	} {
		_, ok := hook.ParseCampaignCommand(command, program)
		require.False(t, ok, command)
	}
	require.True(t, hook.IsDeskTool("mcp__plugin_research-council_desk__record_claim"))
	for _, tool := range []string{"", "Bash", "mcp__desk__record_claim", "mcp__plugin_other_desk__record_claim", "mcp__plugin_research-council_desk", "xmcp__plugin_research-council_desk__y"} {
		require.False(t, hook.IsDeskTool(tool), tool)
	}
	require.JSONEq(t, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`, string(hook.PermitAnswer()))
}

// shells are those that a host may hand a command to.
func shells() []string {
	var list []string
	for _, name := range []string{"bash", "zsh", "dash"} {
		if path, err := exec.LookPath(name); err == nil {
			list = append(list, path)
		}
	}
	return list
}

// A fakeCouncil is a program in council's place that writes down, each time it
// is started, what it was given. It is the only program in the PATH.
type fakeCouncil struct{ dir, calls string }

func newFakeCouncil(t testing.TB) fakeCouncil {
	f := fakeCouncil{t.TempDir(), filepath.Join(t.TempDir(), "calls")}
	script := "#!/bin/sh\n{ printf '%s\\0' \"$#\" \"$@\"; printf 'input\\0'; while IFS= read -r line; do printf '%s\\n' \"$line\"; done; printf '\\0'; } >>" + f.calls + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(f.dir, "council"), []byte(script), 0o700))
	return f
}

// fits checks that a shell makes of a command what was read in it: council is
// started once, with these words and this input, and nothing else happens.
func (f fakeCouncil) fits(t require.TestingT, shell, command string, want hook.ShellLine) {
	_ = os.Remove(f.calls)
	work, err := os.MkdirTemp(f.dir, "work")
	require.NoError(t, err)
	defer os.RemoveAll(work)
	cmd := exec.Command(shell, "-c", command)
	cmd.Dir, cmd.Env = work, []string{"PATH=" + f.dir, "LANG=C.UTF-8"}
	if want.File != "" { // where it can be laid, it is there
		_ = os.WriteFile(filepath.Join(work, filepath.Base(want.File)), []byte("from a file\n"), 0o600)
	}
	out, failed := cmd.CombinedOutput()
	got, err := os.ReadFile(f.calls)
	if want.File != "" && err != nil {
		require.Error(t, failed, "the file was not there")
		return
	}
	require.NoError(t, err, "%q: %s", command, out)
	require.NoError(t, failed, "%q: %s", command, out)
	require.Empty(t, string(out), "%q", command)
	expected := fmt.Sprintf("%d\x00", len(want.Words)-1) + strings.Join(append(want.Words[1:], "input"), "\x00") + "\x00"
	require.True(t, strings.HasPrefix(string(got), expected), "%q: %q", command, got)
	input := strings.TrimPrefix(string(got), expected)
	if want.File == "" {
		require.Equal(t, want.Text+"\x00", input, "%q", command)
	}
	left, err := os.ReadDir(work)
	require.NoError(t, err)
	require.LessOrEqual(t, len(left), 1)
}

// pieces are what commands are made of at random: mostly what may stand in one,
// now and then what may not.
var pieces = []string{
	" ", " ", " ", "\t", "a", "--flag=", "é", "ß", "1", "%+@,:", "=", "'", "'", "\"", "\"", "\\", "\\\"", "\\\\", "'it; is | $x'", "\"a 'b' & c\"", "''", "\n", "END", "\nEND", "\nEND\n",
	" <", " <<'END'", " << \"END\"", " <<'END'\n$(x) `y` 'z\nEND\n", "<", "$", "`", ";", "&", "|", ">", "(", ")", "{", "}", "*", "~", "#", "!", "\\\n", "touch x", "\x01",
}

// Whatever is accepted is, to a real shell, council and its words.
func TestAShellReadsALineAsWeDo(t *testing.T) {
	f, list := newFakeCouncil(t), shells()
	if len(list) == 0 {
		t.Skip("there is no shell here")
	}
	accepted := 0
	harmless := rapid.SampledFrom(pieces[:30])
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.OneOf(rapid.SliceOfN(harmless, 1, 8), rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 8)).Draw(t, "parts")
		command := "council campaign end " + strings.Join(parts, "")
		line, ok := hook.ParseShellLine(command)
		if !ok {
			return
		}
		accepted++
		for _, shell := range list {
			require.NoError(t, exec.Command(shell, "-n", "-c", command).Run(), "%q", command)
			f.fits(t, shell, command, line)
		}
	})
	require.Positive(t, accepted)
}

// likeTheEnd finds a line that begins as END_OF_IT does and goes on beyond ASCII: of
// that dash loses a byte.
var likeTheEnd = regexp.MustCompile(`(?m)^(?:E|EN|END|END_|END_O|END_OF|END_OF_|END_OF_I|END_OF_IT)[^\x00-\x7f]`)

// What not every shell reads alike is not permitted.
func TestALineThatBeginsAsTheEndDoesIsRefused(t *testing.T) {
	for text, want := range map[string]bool{
		"Eé": false, "END_OF_ITé": false, "a\nENDé\nb": false,
		"É": true, "Exé": true, "éE": true, "E": true, "END_OF_ITS": true, "Ein é": true,
	} {
		command := "council <<'END_OF_IT'\n" + text + "\nEND_OF_IT\n"
		line, ok := hook.ParseShellLine(command)
		require.Equal(t, want, ok, text)
		for _, shell := range shells() {
			if ok {
				newFakeCouncil(t).fits(t, shell, command, line)
			}
		}
	}
}

// What is written down by the rules is read back, word for word.
func TestWhatIsQuotedIsReadBack(t *testing.T) {
	f, list := newFakeCouncil(t), shells()
	if len(list) == 0 {
		t.Skip("there is no shell here")
	}
	word := rapid.StringOf(rapid.OneOf(rapid.RuneFrom([]rune("a'\"\\ $`!;&|<>(){}*?~#\n\t-=é\u00a0…")), rapid.Rune().Filter(func(r rune) bool { return r >= ' ' && r != 0x7F })))
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(word, 1, 5).Draw(t, "words")
		command := "council"
		for _, w := range words {
			command += " '" + strings.ReplaceAll(w, "'", `'"'"'`) + "'"
		}
		want := hook.ShellLine{Words: append([]string{"council"}, words...)}
		if body := rapid.SliceOf(word).Draw(t, "body"); len(body) > 0 {
			want.Text = strings.Join(body, "\n") + "\n"
			command += " <<'END_OF_IT'\n" + want.Text + "END_OF_IT\n"
		}
		line, ok := hook.ParseShellLine(command)
		if likeTheEnd.MatchString(want.Text) {
			require.False(t, ok, "%q: not every shell reads it alike", command)
			return
		}
		require.True(t, ok, "%q", command)
		require.Equal(t, want, line)
		for _, shell := range list {
			f.fits(t, shell, command, want)
		}
	})
}

func FuzzParseLine(f *testing.F) {
	for _, seed := range []string{
		"council campaign end", "council campaign end --file - <<'END'\nx\nEND\n", `council pdf "a \" b" 'c'"d"`, "council x < 'y'", "council é", "council x\\\ny", "council x 2<y", "council =x",
	} {
		f.Add(seed)
	}
	council, list := newFakeCouncil(f), shells()
	f.Fuzz(func(t *testing.T, command string) {
		line, ok := hook.ParseShellLine(command)
		if !ok || line.Words[0] != "council" || strings.Contains(line.File, "/") || len(command) > 10_000 {
			return
		}
		for _, shell := range list {
			council.fits(t, shell, command, line)
		}
	})
}

func TestDecodeATool(t *testing.T) {
	long := strings.Repeat("a record. ", 5000)
	command, err := json.Marshal("council campaign end <<'END'\n" + long + "\nEND")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		in    string
		want  hook.Call
		whole bool
	}{
		"a command":                 {`{"tool_name":"Bash","tool_input":{"command":"a \"b\"\n","description":"command"},"permission_mode":"plan","permission_suggestions":[{}]}`, hook.Call{HasSuggestions: true, Tool: "Bash", Command: "a \"b\"\n", Mode: "plan"}, true},
		"a file":                    {`{"tool_input":{"file_path":"/p","content":"{\"command\":\"x\"}","command":{"command":"y"}},"tool_name":"Write"}`, hook.Call{Tool: "Write", File: "/p"}, true},
		"out of the sandbox":        {`{"tool_input":{"command":"x","dangerouslyDisableSandbox":true}}`, hook.Call{Command: "x", Unboxed: true}, true},
		"in the sandbox":            {`{"tool_input":{"command":"x","dangerouslyDisableSandbox": false}}`, hook.Call{Command: "x"}, true},
		"something else there":      {`{"tool_input":{"command":"x","dangerouslyDisableSandbox":"false"}}`, hook.Call{Command: "x", Unboxed: true}, true},
		"inputs twice":              {`{"tool_input":{"command":"x"},"tool_input":{"file_path":"y"}}`, hook.Call{File: "y"}, true},
		"an input that is no input": {`{"tool_input":"command","tool_name":["Bash"],"session_id":"s"}`, hook.Call{Session: "s"}, true},
		"names of the top level":    {`{"tool_input":{"session_id":"inner","tool_name":"Bash"},"command":"x","file_path":"y"}`, hook.Call{}, true},
		"a broken input":            {`{"tool_input":{"command" "x","session_id":"s"}}`, hook.Call{}, false},
		"a long record":             {`{"tool_input":{"command":` + string(command) + `}}`, hook.Call{Command: "council campaign end <<'END'\n" + long + "\nEND"}, true},
		"longer than any":           {`{"tool_input":{"command":"` + strings.Repeat("x", 65<<10) + `","file_path":"y"}}`, hook.Call{File: "y"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, whole := hook.Decode(strings.NewReader(c.in))
			require.Equal(t, c.whole, whole)
			require.Equal(t, c.want.Command, got.Command)
			if c.whole {
				require.Equal(t, c.want, got)
			}
		})
	}
}
