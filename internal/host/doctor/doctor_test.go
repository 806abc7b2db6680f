package doctor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/host/doctor"
)

const secret = "sk-secret-0123456789"

// machine is a healthy machine whose programs answer as the real ones do; a
// test breaks what it is about.
type machine struct {
	doctor.Subject
	doctor.Machine
	answers map[string]doctor.Result // by program and arguments
	files   []string
	texts   map[string]string // of files of settings
}

const (
	claudeHelp = "-p, --print --setting-sources <s> --settings <f> --strict-mcp-config --disable-slash-commands --tools <t> --output-format <f> " +
		"--verbose --permission-mode <m> --allowedTools, --allowed-tools --add-dir --model --effort -r, --resume --session-id"
	codexModels = `{"models":[{"slug":"gpt-6.1-sol"},{"slug":"gpt-6.1-terra"},{"slug":"gpt-6-luna"}]}`
	codexHelp   = "Commands:\n  resume  go on\n --json --skip-git-repo-check --ignore-user-config --disable <F> -s, --sandbox -C, --cd -m, --model -c, --config"
	geminiHelp  = "-e, --extensions -o, --output-format --approval-mode --policy -m, --model --include-directories -r, --resume --session-id"
)

func said(out string) doctor.Result {
	return doctor.Result{Stdout: []byte(out), Took: time.Millisecond}
}

func healthy(t *testing.T) *machine {
	t.Helper()
	c, err := config.Parse(nil)
	require.NoError(t, err)
	m := &machine{
		Subject: doctor.Subject{
			Project: "/project", Self: "/bin/council", Hook: "/bin/council-hook", Home: "/home/ada", OS: "linux", Config: c, ConfigPath: "/home/ada/config.yaml",
			Environ: []string{"PATH=/bin", "ANTHROPIC_API_KEY=" + secret, "OPENAI_API_KEY=" + secret, "GEMINI_API_KEY=" + secret},
		},
		answers: map[string]doctor.Result{
			"claude --version": said("2.1.329 (Claude Code)\n"), "claude --help": said(claudeHelp),
			"codex --version": said("codex-cli 0.169.0\n"), "codex exec --help": said(codexHelp),
			"codex login status": said("Logged in using ChatGPT\n"), "codex -c sandbox_mode=\"workspace-write\" sandbox -- sh -c true": {},
			"codex debug models": said(codexModels),
			"gemini --version":   said("0.61.0\n"), "gemini --help": {Stderr: []byte(geminiHelp)},
		},
	}
	loops := 0
	m.Machine = doctor.Machine{
		Find:   func(program string) (string, error) { return "/bin/" + program, nil },
		Keep:   func(context.Context) error { return nil },
		Free:   func(string) (uint64, error) { return 100 << 30, nil },
		Exists: func(path string) bool { return slices.Contains(m.files, path) },
		Read: func(path string) ([]byte, error) {
			if text, is := m.texts[path]; is {
				return []byte(text), nil
			}
			return nil, fs.ErrNotExist
		},
		Write: func(string) error { return nil },
		Share: func(string) error { return nil },
		Temp:  func() (string, func(), error) { return "/tmp/x", func() {}, nil },
		Run: func(_ context.Context, c doctor.Command) doctor.Result {
			if c.Argv[0] == "/bin/council-hook" {
				if loops++; loops < 3 {
					return said(`{"decision":"block","reason":"go on"}`)
				}
				return said("")
			}
			r, known := m.answers[strings.TrimPrefix(strings.Join(c.Argv, " "), "/bin/")]
			require.True(t, known, "%q was not to be called", c.Argv)
			return r
		},
	}
	return m
}

func (m *machine) examine() doctor.Report {
	return doctor.Examine(context.Background(), m.Subject, m.Machine)
}

func (m *machine) unset(names ...string) {
	m.Environ = slices.DeleteFunc(m.Environ, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(names, name)
	})
}

func TestAHealthyMachine(t *testing.T) {
	r := healthy(t).examine()
	require.True(t, r.Fit)
	require.Equal(t, []string{"claude", "codex", "gemini", "openai", "librarian"}, r.Seats)
	for _, c := range r.Checks {
		require.Contains(t, []doctor.Level{doctor.OK, doctor.Note}, c.Level, c.Finding)
	}
	require.Contains(t, r.Text(), "council-hook works (1.0 ms)")
	require.Contains(t, r.Text(), "the owner of that key pays by use")
}

// unshared is a machine that finds no locks in one folder.
func unshared(folder string) func(string) error {
	return func(dir string) error {
		if dir == folder {
			return errors.New("no locks available")
		}
		return nil
	}
}

func TestWhatIsWrongIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		harm  func(m *machine)
		level doctor.Level
		says  string
		fit   bool
	}{
		"no write access":                   {func(m *machine) { m.Write = func(string) error { return errors.New("read-only") } }, doctor.Failure, "cannot be written: read-only", false},
		"a project on a disk without locks": {func(m *machine) { m.Share = unshared("/project") }, doctor.Failure, "the disk of /project cannot be shared by programs: no locks available", false},
		"a home on a disk without locks": {func(m *machine) {
			m.files, m.Share = append(m.files, "/home/ada"), unshared("/home/ada")
		}, doctor.Failure, "the disk of /home/ada cannot be shared", false},
		"a container without /proc": {func(m *machine) {
			m.Keep = func(context.Context) error { return fmt.Errorf("start a keeper: %w", proc.ErrHidden) }
		}, doctor.Failure, "/proc is not mounted", false},
		"a full disk":  {func(m *machine) { m.Free = func(string) (uint64, error) { return 1 << 20, nil } }, doctor.Failure, "the disk is full: 1.0 MiB", false},
		"a small disk": {func(m *machine) { m.Free = func(string) (uint64, error) { return 200 << 20, nil } }, doctor.Warning, "nearly full", true},
		"no keeper":    {func(m *machine) { m.Keep = func(context.Context) error { return errors.New("lost") } }, doctor.Failure, "no process can be kept: lost", false},
		"no hook":      {func(m *machine) { m.Hook, m.HookProblem = "", "council-hook is not there" }, doctor.Failure, "is not there", false},
		"a hook that lets go": {func(m *machine) {
			m.Run = func(context.Context, doctor.Command) doctor.Result { return said("") }
		}, doctor.Failure, "let a report without the marker go", false},
		"a hook that never lets go": {func(m *machine) {
			run := m.Run
			m.Run = func(ctx context.Context, c doctor.Command) doctor.Result {
				if c.Argv[0] == m.Hook {
					return said(`{"decision":"block","reason":"on"}`)
				}
				return run(ctx, c)
			}
		}, doctor.Failure, "did not let go", false},
		"a hook that crashes": {func(m *machine) {
			m.Run = func(context.Context, doctor.Command) doctor.Result { return doctor.Result{Code: 2} }
		}, doctor.Failure, "status 2", false},
		"a broken configuration": {func(m *machine) { m.ConfigFault = errors.New("field limts not found") }, doctor.Failure, "limts", false},
		"a CLI that is missing": {func(m *machine) {
			m.Find = func(p string) (string, error) {
				if p == "gemini" {
					return "", errors.New("not found in PATH")
				}
				return "/bin/" + p, nil
			}
		}, doctor.Warning, "MISSING: gemini: not found in PATH", true},
		"a CLI that hangs":        {func(m *machine) { m.answers["claude --version"] = doctor.Result{Err: errors.New("no answer")} }, doctor.Warning, "claude does not start: no answer", true},
		"a CLI that is too old":   {func(m *machine) { m.answers["codex --version"] = said("codex-cli 0.99.0") }, doctor.Warning, "0.99.0 is older than 0.146.0", true},
		"a CLI that is new":       {func(m *machine) { m.answers["gemini --version"] = said("0.70.1") }, doctor.Note, "0.70.1 (tested with 0.61.0)", true},
		"a CLI without a version": {func(m *machine) { m.answers["gemini --version"] = said("hello") }, doctor.Warning, "no version", true},
		"a flag that is gone": {func(m *machine) {
			m.answers["claude --help"] = said(strings.Replace(claudeHelp, "--settings <f>", "", 1))
		}, doctor.Warning, "no longer knows --settings", true},
		"a sandbox that fails": {func(m *machine) {
			m.answers[`codex -c sandbox_mode="workspace-write" sandbox -- sh -c true`] = doctor.Result{Code: 1}
		}, doctor.Warning, "sandbox does not work", true},
		"a model the catalogue does not have": {func(m *machine) {
			m.answers["codex debug models"] = said(strings.Replace(codexModels, "gpt-6-luna", "gpt-7", 1))
		}, doctor.Warning, "does not know the configured gpt-6-luna", true},
		"no catalogue":      {func(m *machine) { m.answers["codex debug models"] = said("?") }, doctor.Note, "catalogue of models cannot be read", true},
		"root":              {func(m *machine) { m.Root = true }, doctor.Note, "superuser", true},
		"a low block cap":   {func(m *machine) { m.Environ = append(m.Environ, "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=1") }, doctor.Warning, "BLOCK_CAP=1", true},
		"inside a seat":     {func(m *machine) { m.Environ = append(m.Environ, "RESEARCH_COUNCIL_CHILD=x") }, doctor.Warning, "hooks are silent", true},
		"no prices":         {func(*machine) {}, doctor.Note, "a cap on money holds it by a limit in tokens", true},
		"no login (claude)": {func(m *machine) { m.unset("ANTHROPIC_API_KEY") }, doctor.Warning, "login: none", true},
		"no login (codex)": {func(m *machine) {
			m.unset("OPENAI_API_KEY")
			m.answers["codex login status"] = doctor.Result{Code: 1, Stderr: []byte("Not logged in")}
		}, doctor.Warning, "login: none", true},
		"a channel without its secret": {func(m *machine) { m.Config.Notify.Slack.URLEnv = "SLACK_HOOK" }, doctor.Warning, "slack: SLACK_HOOK is not set", true},
		"channels that are set": {func(m *machine) {
			m.Config.Notify.Slack.URLEnv, m.Config.Notify.Telegram.Chat = "SLACK_HOOK", "7"
			m.Environ = append(m.Environ, "SLACK_HOOK=https://slack.invalid/"+secret, "TELEGRAM_BOT_TOKEN="+secret)
		}, doctor.OK, "notifications: slack, telegram", true},
		"no TeX": {func(m *machine) { m.Environ = append(m.Environ, "PATH="+t.TempDir()) }, doctor.Note, "no TeX is installed", true},
		"a TeX":  {func(m *machine) { m.Environ = append(m.Environ, "PATH="+folderWith(t, "xelatex", "pdflatex")) }, doctor.OK, "PDFs are made by xelatex, pdflatex", true},
		"a TeX without bibtex": {func(m *machine) {
			m.Environ = append(m.Environ, "PATH="+folderWith(t, "pdflatex"))
			m.Find = func(p string) (string, error) {
				if p == "bibtex" {
					return "", errors.New("not found in PATH")
				}
				return "/bin/" + p, nil
			}
		}, doctor.Note, "pdflatex, and no bibtex", true},
		"no login (gemini)":        {func(m *machine) { m.unset("GEMINI_API_KEY") }, doctor.Warning, "login: none", true},
		"a server without its key": {func(m *machine) { m.unset("OPENAI_API_KEY") }, doctor.Note, "MISSING (max): OPENAI_API_KEY is not set", true},
		"one that is to take part": {func(m *machine) { m.Config.Seats = append(m.Config.Seats, "groq") }, doctor.Warning, "MISSING (max): GROQ_API_KEY is not set", true},
		"a server elsewhere":       {func(m *machine) { m.Environ = append(m.Environ, "OPENAI_BASE_URL=http://10.0.0.7:8000/v1") }, doctor.OK, "http://10.0.0.7:8000/v1; login: OPENAI_API_KEY", true},
		"a key in the open":        {func(m *machine) { m.Environ = append(m.Environ, "OPENAI_BASE_URL=http://10.0.0.7:8000/v1") }, doctor.Note, "its key goes over the network unencrypted", true},
		"a server nowhere":         {func(m *machine) { m.Environ = append(m.Environ, "OPENAI_BASE_URL=nowhere") }, doctor.Note, "OPENAI_BASE_URL has to be an http or https address", true},
		"a server of one's own": {func(m *machine) {
			m.Config.Chat["own"] = config.Chat{BaseURL: "http://127.0.0.1:11434/v1", Max: config.Model{Model: "m"}, Free: true}
		}, doctor.OK, "http://127.0.0.1:11434/v1; it wants no key", true},
		"a tier without a model": {func(m *machine) {
			m.Config.Chat["own"] = config.Chat{BaseURL: "http://127.0.0.1:11434/v1", Max: config.Model{Model: "m"}, Free: true}
		}, doctor.Note, "MISSING (cheap): no model is configured for this tier", true},
	} {
		t.Run(name, func(t *testing.T) {
			m := healthy(t)
			c.harm(m)
			r := m.examine()
			require.Equal(t, c.fit, r.Fit)
			require.Contains(t, r.Seats, "librarian")
			i := slices.IndexFunc(r.Checks, func(f doctor.Check) bool { return f.Level == c.level && strings.Contains(f.Finding, c.says) })
			require.GreaterOrEqual(t, i, 0, "%s", r.Text())
			if area := r.Checks[i].Area; c.level == doctor.Warning && area != "council" && area != "project" {
				require.NotContains(t, r.Seats, area, "a seat with a warning stays out")
			}
		})
	}
}

func TestAServerTakesPartThatHasAKey(t *testing.T) {
	m := healthy(t)
	m.unset("OPENAI_API_KEY")
	m.answers["codex login status"] = said("Logged in using ChatGPT\n")
	m.Environ = append(m.Environ, "GROQ_API_KEY="+secret)
	require.Equal(t, []string{"claude", "codex", "gemini", "groq", "librarian"}, m.examine().Seats)
	require.NotContains(t, m.examine().Text(), secret)
}

func TestWhoPays(t *testing.T) {
	for name, c := range map[string]struct {
		with func(m *machine)
		says string
	}{
		"a cloud":              {func(m *machine) { m.Environ = append(m.Environ, "CLAUDE_CODE_USE_BEDROCK=1") }, "Bedrock; that cloud account pays"},
		"a switch that is off": {func(m *machine) { m.Environ = append(m.Environ, "CLAUDE_CODE_USE_BEDROCK=0") }, "ANTHROPIC_API_KEY; the owner"},
		"a gateway":            {func(m *machine) { m.Environ = append(m.Environ, "ANTHROPIC_AUTH_TOKEN="+secret) }, "whoever runs that gateway pays"},
		"a subscription": {func(m *machine) {
			m.unset("ANTHROPIC_API_KEY")
			m.files = []string{"/home/ada/.claude/.credentials.json"}
		}, "the one of Claude Code"},
		"a login elsewhere": {func(m *machine) {
			m.unset("ANTHROPIC_API_KEY")
			m.Environ, m.files = append(m.Environ, "CLAUDE_CONFIG_DIR=/else"), []string{"/else/.credentials.json"}
		}, "the one of Claude Code"},
		"a keychain": {func(m *machine) {
			m.unset("ANTHROPIC_API_KEY")
			m.OS = "darwin"
		}, "keychain"},
		"ChatGPT": {func(m *machine) { m.unset("OPENAI_API_KEY") }, "ChatGPT; that subscription pays"},
		"a stored key": {func(m *machine) {
			m.unset("OPENAI_API_KEY")
			m.answers["codex login status"] = said("Logged in using an API key - " + secret)
		}, "a stored API key"},
		"a Google account": {func(m *machine) {
			m.unset("GEMINI_API_KEY")
			m.files = []string{"/home/ada/.gemini/oauth_creds.json"}
		}, "personal plans are no longer served"},
		"Vertex": {func(m *machine) {
			m.unset("GEMINI_API_KEY")
			m.Environ = append(m.Environ, "GOOGLE_GENAI_USE_VERTEXAI=true")
		}, "that cloud project pays"},
	} {
		t.Run(name, func(t *testing.T) {
			m := healthy(t)
			c.with(m)
			r := m.examine()
			require.Contains(t, r.Text(), c.says)
			data, err := json.Marshal(r)
			require.NoError(t, err)
			require.NotContains(t, string(data), secret, "a key is never shown")
		})
	}
}

func TestAPricedSeatIsSeenByACapOnMoney(t *testing.T) {
	m := healthy(t)
	var err error
	m.Config, err = config.Parse([]byte("prices: {gpt-6.1-sol: {input: 1}, gpt-6.1-terra: {input: 1}, gpt-6-luna: {input: 1}}"))
	require.NoError(t, err)
	for _, c := range m.examine().Checks {
		require.False(t, c.Area == "codex" && strings.Contains(c.Finding, "a cap on money"), c.Finding)
	}
}

func TestTheRealWorld(t *testing.T) {
	dir := t.TempDir()
	script := func(name, body string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o755))
		return path
	}
	w := doctor.Real("/nowhere/council", "", nil)
	run := func(path string, stdin string) doctor.Result {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		return w.Run(ctx, doctor.Command{Argv: []string{path}, Env: []string{"PATH=/usr/bin:/bin", "A=b"}, Dir: dir, Stdin: []byte(stdin)})
	}

	r := run(script("speaks", `cat; echo "$A"; echo no >&2; exit 3`), "in\n")
	require.NoError(t, r.Err)
	require.Equal(t, "in\nb\n", string(r.Stdout))
	require.Equal(t, "no\n", string(r.Stderr))
	require.Equal(t, 3, r.Code)

	r = run(script("holds-its-output", `sleep 60 & echo done`), "")
	require.NoError(t, r.Err, "a grandchild that holds the output keeps nobody waiting")
	require.Equal(t, "done\n", string(r.Stdout))

	r = run(script("hangs", `sleep 60`), "")
	require.ErrorContains(t, r.Err, "no answer")

	r = run(filepath.Join(dir, "missing"), "")
	require.ErrorIs(t, r.Err, os.ErrNotExist)

	r = run(script("floods", `head -c 5000000 /dev/zero`), "")
	require.NoError(t, r.Err)
	require.Equal(t, 1<<20, len(r.Stdout)) // Len would print it all

	require.NoError(t, w.Write(dir))
	require.Error(t, w.Write(filepath.Join(dir, "missing")))
	shared := t.TempDir()
	require.NoError(t, w.Share(shared))
	left, err := os.ReadDir(shared)
	require.NoError(t, err)
	require.Empty(t, left)
	require.ErrorIs(t, w.Share(filepath.Join(dir, "missing")), os.ErrNotExist)
	free, err := w.Free(dir)
	require.NoError(t, err)
	require.Positive(t, free)
	require.Error(t, w.Keep(context.Background()))
}

// folderWith makes a folder that holds programs of some names.
func folderWith(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o755))
	}
	return dir
}

func TestTheWayToTheSourcesIsTold(t *testing.T) {
	m := healthy(t)
	require.Contains(t, m.examine().Text(), "sources are fetched without a proxy")
	m = healthy(t)
	m.Environ = append(m.Environ, "HTTPS_PROXY=http://ada:s3cret@proxy.test:3128", "NO_PROXY=a.test,http://b.test")
	r := m.examine()
	require.True(t, r.Fit)
	require.Contains(t, r.Text(), "https through http://proxy.test:3128 (HTTPS_PROXY), except a.test")
	require.Contains(t, r.Text(), "what only the proxy can look up is not seen")
	require.Contains(t, r.Text(), "no host, address or network: http://b.test")
	require.NotContains(t, r.Text(), "s3cret")

	m.Environ = append(m.Environ, "HTTPS_PROXY=ftp://ada:s3cret@proxy.test")
	require.Contains(t, m.examine().Text(), "HTTPS_PROXY cannot be read")
	require.NotContains(t, m.examine().Text(), "s3cret")
}

func TestWhetherTheStatusLineIsSetUpIsSaid(t *testing.T) {
	const user, project, own = "/home/ada/.claude/settings.json", "/project/.claude/settings.json", "/project/.claude/settings.local.json"
	ours, theirs := `{"statusLine":{"type":"command","command":"/bin/council statusline"}}`, `{"statusLine":{"type":"command","command":"~/line.sh \u001b[31m"}}`
	for name, c := range map[string]struct {
		texts     map[string]string
		level     doctor.Level
		says, cut string
	}{
		"none":                     {nil, doctor.Note, "Claude Code's status line shows no runs", "`council statusline --install`"},
		"ours":                     {map[string]string{user: ours}, doctor.OK, "Claude Code's status line shows runs (" + user + ")", ""},
		"another's":                {map[string]string{user: theirs}, doctor.Note, "Claude Code's status line (" + user + ") is another program's and shows no runs", "`council statusline --install`"},
		"the project's goes first": {map[string]string{user: ours, project: theirs}, doctor.Note, "status line (" + project + ") is another", "--wrap"},
		"the person's own there":   {map[string]string{project: theirs, own: `{"statusLine":{"command":"'/opt/a b/council' statusline --wrap 'x'"}}`}, doctor.OK, own, ""},
		"settings without one":     {map[string]string{user: `{"model":"x"}`, own: `{}`}, doctor.Note, "shows no runs", "--install"},
		"no JSON":                  {map[string]string{user: `{"statusLine":`}, doctor.Note, "cannot be told from " + user + ": it is no JSON", "mend"},
		"a word of its own":        {map[string]string{user: `{"statusLine":"council statusline"}`}, doctor.Note, "its statusLine is no object", "mend"},
	} {
		m := healthy(t)
		m.texts = c.texts
		m.files = append(m.files, "/bin/council", "/opt/a b/council")
		r := m.examine()
		require.True(t, r.Fit, name)
		at := slices.IndexFunc(r.Checks, func(k doctor.Check) bool { return strings.Contains(k.Finding, c.says) })
		require.GreaterOrEqual(t, at, 0, "%s: %v", name, r.Checks)
		require.Equal(t, c.level, r.Checks[at].Level, name)
		require.Contains(t, r.Checks[at].Remedy, c.cut, name)
	}
	m := healthy(t)
	m.Environ = append(m.Environ, "CLAUDE_CONFIG_DIR=/elsewhere")
	m.texts = map[string]string{"/elsewhere/settings.json": ours}
	require.Contains(t, m.examine().Text(), "(/elsewhere/settings.json) names a program that is gone: /bin/council")
	m.files = append(m.files, "/bin/council")
	require.Contains(t, m.examine().Text(), "shows runs (/elsewhere/settings.json)")
}
