package doctor

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"research-council/internal/agent"
)

// cli is what we know of a seat's command line program.
type cli struct {
	vendor string
	tested string     // the version our adapter was measured with
	oldest string     // the oldest we expect to work: it has every flag
	help   [][]string // arguments that print the flags
	flags  []string   // those our adapter uses and help shows
	login  func(x exam, ctx context.Context, path string) Check
	extra  func(x exam, ctx context.Context, path string) []Check
}

// clis are the programs our adapters speak with. The flags are the adapters'
// own; claude hides --max-turns.
func clis() map[string]cli {
	return map[string]cli{
		"claude": {
			vendor: agent.Anthropic, tested: "2.1.329", oldest: "2.1.240", help: [][]string{{"--help"}}, login: exam.claudeLogin,
			flags: []string{
				"--print", "--setting-sources", "--settings", "--strict-mcp-config", "--disable-slash-commands", "--tools", "--output-format",
				"--verbose", "--permission-mode", "--allowedTools", "--add-dir", "--model", "--effort", "--resume", "--session-id",
			},
		},
		"codex": {
			vendor: agent.OpenAI, tested: "0.169.0", oldest: "0.146.0", help: [][]string{{"exec", "--help"}}, login: exam.codexLogin, extra: exam.codexChecks,
			flags: []string{"--json", "--skip-git-repo-check", "--ignore-user-config", "--disable", "--sandbox", "--cd", "--model", "--config", "resume"},
		},
		"gemini": {
			vendor: agent.Google, tested: "0.61.0", oldest: "0.50.0", help: [][]string{{"--help"}}, login: exam.geminiLogin,
			flags: []string{"--extensions", "--output-format", "--approval-mode", "--policy", "--model", "--include-directories", "--resume", "--session-id"},
		},
	}
}

// seat looks at one seat's program.
func (x exam) seat(ctx context.Context, name string) []Check {
	program := x.Config.Kinds[name].Program
	if program == "" {
		program = x.Config.Commands[name].Program
	}
	path, err := x.Find(program)
	if err != nil {
		return []Check{{name, Warning, "MISSING: " + program + ": " + err.Error(), ""}}
	}
	c, known := clis()[name]
	if !known {
		return []Check{okCheck(name, "%s", path)}
	}
	checks := []Check{x.version(ctx, name, path, c), x.flags(ctx, name, path, c), c.login(x, ctx, path)}
	if c.extra != nil {
		checks = append(checks, c.extra(x, ctx, path)...)
	}
	if p, ok := x.price(name); !ok {
		checks = append(checks, p)
	}
	return slices.DeleteFunc(checks, func(c Check) bool { return c.Finding == "" })
}

// runSeatProgram runs a seat's program with what a seat would inherit.
func (x exam) runSeatProgram(ctx context.Context, vendor string, argv ...string) Result {
	var env []string
	for name, value := range agent.Environ(x.Environ, vendor) {
		env = append(env, name+"="+value)
	}
	env = append(env, "NO_COLOR=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "GEMINI_CLI_NO_RELAUNCH=true")
	dir, remove, err := x.Temp()
	if err != nil {
		return Result{Err: err}
	}
	defer remove()
	return x.Run(ctx, Command{Argv: argv, Env: env, Dir: dir})
}

func (x exam) version(ctx context.Context, name, path string, c cli) Check {
	r := x.runSeatProgram(ctx, c.vendor, path, "--version")
	found := findVersion(r.Stdout)
	switch {
	case r.Err != nil:
		return Check{name, Warning, fmt.Sprintf("%s does not start: %v", path, r.Err), "install it again"}
	case r.Code != 0 || found == "":
		return Check{name, Warning, fmt.Sprintf("%s --version ended with status %d and no version", path, r.Code), "install it again"}
	case older(found, c.oldest):
		return Check{name, Warning, fmt.Sprintf("%s %s is older than %s", path, found, c.oldest), "upgrade it; " + c.tested + " is tested"}
	case found != c.tested:
		return Check{name, Note, fmt.Sprintf("%s %s (tested with %s)", path, found, c.tested), ""}
	}
	return okCheck(name, "%s %s", path, found)
}

func findVersion(out []byte) string {
	return string(regexp.MustCompile(`\d+\.\d+\.\d+`).Find(out))
}

// older reports whether a version comes before another, both of three numbers.
func older(a, b string) bool {
	return slices.Compare(numbers(a), numbers(b)) < 0
}

func numbers(version string) []int {
	var list []int
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			n = 0 // a number too large to be one
		}
		list = append(list, n)
	}
	return list
}

// flags looks for the flags our adapter passes in what the program says of
// itself.
func (x exam) flags(ctx context.Context, name, path string, c cli) Check {
	var help []byte
	for _, args := range c.help {
		r := x.runSeatProgram(ctx, c.vendor, append([]string{path}, args...)...)
		if r.Err != nil {
			return Check{name, Warning, fmt.Sprintf("%s %s: %v", path, strings.Join(args, " "), r.Err), "install it again"}
		}
		help = append(append(help, r.Stdout...), r.Stderr...)
	}
	var missing []string
	for _, flag := range c.flags {
		if !mentions(help, flag) {
			missing = append(missing, flag)
		}
	}
	if len(missing) > 0 {
		return Check{name, Warning, "it no longer knows " + strings.Join(missing, ", "), "install version " + c.tested + ", or upgrade research-council"}
	}
	return okCheck(name, "all %d flags are there", len(c.flags))
}

// mentions reports whether a word stands alone in a text.
func mentions(text []byte, word string) bool {
	for {
		i := bytes.Index(text, []byte(word))
		if i < 0 {
			return false
		}
		after := text[i+len(word):]
		if (i == 0 || !isWordByte(text[i-1])) && (len(after) == 0 || !isWordByte(after[0])) {
			return true
		}
		text = after
	}
}

func isWordByte(b byte) bool {
	return b == '-' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

// codexSandbox tries the sandbox codex runs an agent's commands in: where it
// does not work they all fail, in silence.
// codexChecks looks at what only codex has: a sandbox, and a catalogue of its
// models.
func (x exam) codexChecks(ctx context.Context, path string) []Check {
	return append(x.codexSandbox(ctx, path), x.codexModels(ctx, path)...)
}

// codexModels looks for the configured models in codex's own catalogue, which
// it gives without a login or a network.
func (x exam) codexModels(ctx context.Context, path string) []Check {
	r := x.runSeatProgram(ctx, agent.OpenAI, path, "debug", "models")
	listed := gjson.GetBytes(r.Stdout, "models.#.slug").Array()
	if r.Err != nil || r.Code != 0 || len(listed) == 0 {
		return []Check{{"codex", Note, "its catalogue of models cannot be read", ""}}
	}
	var known, unknown []string
	for _, m := range listed {
		known = append(known, m.String())
	}
	k := x.Config.Kinds["codex"]
	for _, m := range []string{k.Max.Model, k.Standard.Model, k.Cheap.Model} {
		if m != "" && !slices.Contains(known, m) && !slices.Contains(unknown, m) {
			unknown = append(unknown, m)
		}
	}
	if len(unknown) > 0 {
		return []Check{{"codex", Warning, "it does not know the configured " + strings.Join(unknown, ", "), "choose from " + strings.Join(known, ", ") + " in the configuration"}}
	}
	return []Check{okCheck("codex", "it knows the configured models")}
}

func (x exam) codexSandbox(ctx context.Context, path string) []Check {
	r := x.runSeatProgram(ctx, agent.OpenAI, path, "-c", `sandbox_mode="workspace-write"`, "sandbox", "--", "sh", "-c", "true")
	if r.Err != nil || r.Code != 0 {
		return []Check{{"codex", Warning, "its sandbox does not work here: commands of this seat would fail", "allow user namespaces on this machine, or leave the seat out"}}
	}
	return []Check{okCheck("codex", "its sandbox works")}
}

// price says that a cap on money sees only the tokens of a seat: codex and gemini tell
// tokens and no cost.
func (x exam) price(name string) (Check, bool) {
	if name == "claude" {
		return Check{}, true
	}
	k := x.Config.Kinds[name]
	var without []string
	for _, m := range []string{k.Max.Model, k.Standard.Model, k.Cheap.Model} {
		if _, ok := x.Config.Prices[m]; !ok && m != "" && !slices.Contains(without, m) {
			without = append(without, m)
		}
	}
	return unpricedCheck(name, without)
}

// unpricedCheck is the check of a seat's models that have no price.
func unpricedCheck(name string, models []string) (Check, bool) {
	if len(models) == 0 {
		return Check{}, true
	}
	return Check{name, Note, "it tells tokens and no cost: a cap on money holds it by a limit in tokens", "put prices of " + strings.Join(models, ", ") + " into the configuration"}, false
}
