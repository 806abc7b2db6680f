package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/evidence/experiment"
)

// Experiment is a command that a seat has had run for a claim, and what it said.
type Experiment struct {
	experiment.Record
	Said string // its output; its command, its files and this are a seat's words
}

// Bounds on what is shown of an experiment; its record in the archive has all of it.
const (
	maxExperiments = 24
	maxFiles       = 8
	maxFileRunes   = 1500
	maxSaidRunes   = 2000
	maxEnviron     = 24
)

// experimentSection writes of a page how the experiments of its run were made.
type experimentSection struct{ *page }

// experiments shows how each experiment that claims quote was made, and what it said;
// those that no claim quotes are named.
func (p experimentSection) experiments() []string {
	quoted, told := p.quotedExperiments()
	list := slices.Clone(p.Experiments)
	for n := range told {
		if !slices.ContainsFunc(list, func(e Experiment) bool { return e.ID == experiment.ID(n) }) {
			list = append(list, Experiment{Record: experiment.Record{ID: experiment.ID(n)}})
		}
	}
	number := func(e Experiment) int { n, _ := experiment.Number(experiment.Reference(e.ID)); return n }
	slices.SortStableFunc(list, func(a, b Experiment) int { return number(a) - number(b) })
	var out, unquoted []string
	shown := 0
	for _, e := range list {
		claims := quoted[number(e)]
		switch {
		case len(claims) == 0 || shown == maxExperiments:
			unquoted = append(unquoted, e.ID)
			continue
		case len(e.Command) == 0:
			out = spaced(out, retold(e.ID, told[number(e)], claims))
		default:
			out = spaced(out, account(e, claims))
		}
		shown++
	}
	if len(unquoted) > 0 {
		out = spaced(out, []string{fmt.Sprintf("Of %s more nothing is quoted here: %s. Their records are in the archive of the run.", plural.Of(len(unquoted), "experiment"), escapeForeign(enumerate(unquoted), 400))})
	}
	return out
}

// quotedExperiments are the claims that quote each experiment, by its number, and what
// the registry tells of how it was made.
func (p experimentSection) quotedExperiments() (claims map[int][]string, told map[int]string) {
	claims, told = map[int][]string{}, map[int]string{}
	for _, e := range p.Registry.Entries {
		for _, passage := range e.Evidence() {
			n, ok := experiment.Number(passage.Key)
			if !ok {
				continue
			}
			if !slices.Contains(claims[n], e.ID) {
				claims[n] = append(claims[n], e.ID)
			}
			if told[n] == "" {
				told[n] = passage.Location.Made
			}
		}
	}
	return claims, told
}

// experimentTitle names an experiment and the claims that quote it.
func experimentTitle(id string, claims []string) string {
	return fmt.Sprintf("### %s, quoted by %s", escapeForeign(id, 20), escapeForeign(enumerate(claims[:min(len(claims), maxMembers)])+andMore(len(claims)-maxMembers), 200))
}

// account is an experiment by its record.
func account(e Experiment, claims []string) []string {
	again := ""
	if e.Again != "" {
		again = ", which is " + escapeForeign(e.Again, 20) + " made again"
	}
	lines := []string{fmt.Sprintf("- Made for %s%s: %s after %.1f s of %d s", escapeForeign(e.Seat, 60), again, escapeForeign(e.End(), 100), e.Seconds, e.Limit) + withPrefix(", on ", escapeForeign(e.System, 40)) + "."}
	add := func(name, value string) {
		if value != "" {
			lines = append(lines, "- "+name+": "+value+".")
		}
	}
	if !e.At.IsZero() {
		add("At", e.At.UTC().Format("2006-01-02 15:04 UTC"))
	}
	add("Program", foreignHash(e.Program))
	if e.Sources != "" {
		read := foreignHash(e.Sources)
		if e.OnCopy {
			read += ", of which its folder began as a copy"
		}
		add("Local sources it could read", read)
	}
	var environ []string
	for _, v := range e.Environ[:min(len(e.Environ), maxEnviron)] {
		environ = append(environ, foreignCode(v))
	}
	add("Environment", strings.Join(environ, ", ")+andMore(len(e.Environ)-len(environ)))
	out := spaced([]string{experimentTitle(e.ID, claims)}, lines)
	out = spaced(out, []string{"Its command:"})
	out = spaced(out, fenced(bounded(e.CommandLine(), maxFileRunes), "sh"))
	for _, f := range e.Files[:min(len(e.Files), maxFiles)] {
		out = spaced(out, []string{"Its file " + foreignCode(f.Path) + withPrefix(", ", foreignHash(f.SHA256)) + ":"})
		out = spaced(out, fenced(bounded(f.Text, maxFileRunes), ""))
	}
	if more := len(e.Files) - maxFiles; more > 0 {
		out = spaced(out, []string{"And " + plural.Of(more, "file") + " more."})
	}
	out = spaced(out, []string{"What it said" + withPrefix(", ", foreignHash(e.Output)) + ":"})
	return spaced(out, fenced(bounded(e.Said, maxSaidRunes), ""))
}

// retold is an experiment by what the registry tells of it.
func retold(id, made string, claims []string) []string {
	title, files, _ := strings.Cut(made, "\n\n")
	out := spaced([]string{experimentTitle(id, claims)}, []string{sentence(escapeForeign(title, 400)) + " Its environment and all it said are in the archive of the run."})
	if strings.TrimSpace(files) == "" {
		return out
	}
	return spaced(out, fenced(bounded(files, maxFiles*maxFileRunes), ""))
}

// foreignHash is a hash as code; "" for none.
func foreignHash(hash string) string {
	if hash == "" {
		return ""
	}
	return "`sha256:" + strings.Trim(foreignCode(hash), "`") + "`"
}

// bounded is a text of several lines without what cannot be seen, at most so many runes.
func bounded(text string, most int) string {
	runes := []rune(plain.Text(text))
	if len(runes) <= most {
		return string(runes)
	}
	return string(runes[:most]) + "\n…"
}
