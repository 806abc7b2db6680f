package doctor

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/kinds"
)

// seat looks at one seat's program.
func (x exam) seat(ctx context.Context, name string) []Check {
	program := x.Config.Kinds[name].Program
	if program == "" {
		program = x.Config.Commands[name].Program
	}
	path, err := x.Find(program)
	if err != nil {
		return []Check{newCheck(name, Warning, "MISSING: "+program+": "+err.Error(), "").about(SeatMissing)}
	}
	k := kinds.Of(name)
	if k.Program == nil {
		return []Check{okCheck(name, "%s", path)}
	}
	c := cli{x, k, path}
	at := c.installation(ctx)
	checks := []Check{c.version(ctx).about(SeatVersion), c.flags(ctx)}
	found := []agent.Finding{k.Program.Login(at)}
	if k.Program.Checks != nil {
		found = append(found, k.Program.Checks(at)...)
	}
	for i, f := range found {
		id := ""
		if i == 0 {
			id = SeatLogin
		}
		checks = append(checks, newCheck(name, f.Level, f.Text, f.Remedy).about(id))
	}
	if p, ok := unpricedCheck(name, c.unpriced(at.Models)); !ok {
		checks = append(checks, p)
	}
	return slices.DeleteFunc(checks, func(c Check) bool { return c.Finding == "" })
}

// cli is a seat's command line program on this machine.
type cli struct {
	exam
	kind agent.Kind
	path string
}

// installation is the program as its kind may look at it.
func (c cli) installation(ctx context.Context) agent.Installation {
	return agent.Installation{
		Run: func(args ...string) agent.Output {
			r := c.start(ctx, args...)
			return agent.Output{Stdout: r.Stdout, Stderr: r.Stderr, OK: r.Err == nil && r.Code == 0}
		},
		Getenv: func(name string) string { return c.env[name] },
		Exists: c.Exists, Home: c.Home, System: c.OS, Root: c.Root, Models: c.Config.Kinds[c.kind.Name].Models(),
	}
}

// start runs the program with what a seat would inherit.
func (c cli) start(ctx context.Context, args ...string) Result {
	var env []string
	for name, value := range c.kind.Environ(c.Environ) {
		env = append(env, name+"="+value)
	}
	env = append(append(env, "NO_COLOR=1"), c.kind.Program.Quiet...)
	dir, remove, err := c.Temp()
	if err != nil {
		return Result{Err: err}
	}
	defer remove()
	return c.Run(ctx, Command{Argv: append([]string{c.path}, args...), Env: env, Dir: dir})
}

func (c cli) version(ctx context.Context) Check {
	name, path, known := c.kind.Name, c.path, c.kind.Program
	r := c.start(ctx, "--version")
	found := findVersion(r.Stdout)
	switch {
	case r.Err != nil:
		return newCheck(name, Warning, fmt.Sprintf("%s does not start: %v", path, r.Err), "install it again")
	case r.Code != 0 || found == "":
		return newCheck(name, Warning, fmt.Sprintf("%s --version ended with status %d and no version", path, r.Code), "install it again")
	case older(found, known.Oldest):
		return newCheck(name, Warning, fmt.Sprintf("%s %s is older than %s", path, found, known.Oldest), "upgrade it; "+known.Tested+" is tested")
	case found != known.Tested:
		return newCheck(name, Note, fmt.Sprintf("%s %s (tested with %s)", path, found, known.Tested), "")
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
func (c cli) flags(ctx context.Context) Check {
	name, known := c.kind.Name, c.kind.Program
	r := c.start(ctx, known.Help...)
	if r.Err != nil {
		return newCheck(name, Warning, fmt.Sprintf("%s %s: %v", c.path, strings.Join(known.Help, " "), r.Err), "install it again")
	}
	help := append(r.Stdout, r.Stderr...)
	missing := slices.DeleteFunc(slices.Clone(known.Flags), func(flag string) bool { return mentions(help, flag) })
	if len(missing) > 0 {
		return newCheck(name, Warning, "it no longer knows "+strings.Join(missing, ", "), "install version "+known.Tested+", or upgrade research-council")
	}
	return okCheck(name, "all %d flags are there", len(known.Flags))
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

// unpriced are those of its models that a cap on money sees only the tokens of.
func (c cli) unpriced(models []string) []string {
	if c.kind.TellsCost {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(models), func(m string) bool { _, ok := c.Config.Prices[m]; return ok })
}

// unpricedCheck is the check of a seat's models that have no price.
func unpricedCheck(name string, models []string) (Check, bool) {
	if len(models) == 0 {
		return Check{}, true
	}
	return newCheck(name, Note, "it tells tokens and no cost: a cap on money holds it by a limit in tokens", "put prices of "+strings.Join(models, ", ")+" into the configuration"), false
}
