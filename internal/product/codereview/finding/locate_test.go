package finding_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/product/codereview/finding"
)

const source = `package list

func Last(list []int) int {
	n := len(list)
	return list[n]
}

func First(list []int) (int, error) {
	if len(list) == 0 {
		return 0, errEmpty
	}
	return list[0], nil
}

func Sum(list []int) (sum int) {
	for _, n := range list {
		sum += n
	}
	return sum
}

func Twice(list []int) (sum int) {
	for _, n := range list {
		sum += n
	}
	return 2 * sum
}
`

func TestAQuotationIsLookedUpInItsFile(t *testing.T) {
	for _, c := range []struct {
		name  string
		line  int
		code  string
		state string
		from  int
		to    int
	}{
		{"as it stands", 4, "\tn := len(list)\n\treturn list[n]", finding.Located, 4, 5},
		{"indented otherwise, with Windows line ends", 4, "    n := len(list)  \r\n    return list[n]\r\n", finding.Located, 4, 5},
		{"blank lines more or less", 6, "}\n\n\nfunc First(list []int) (int, error) {", finding.Located, 6, 8},
		{"three lines beside", 7, "n := len(list)\nreturn list[n]", finding.Located, 4, 5},
		{"four lines beside", 8, "n := len(list)\nreturn list[n]", finding.Moved, 4, 5},
		{"a line that the file does not have", 900, "n := len(list)\nreturn list[n]", finding.Moved, 4, 5},
		{"of two places the one nearest to the line", 22, "for _, n := range list {\n\tsum += n\n}", finding.Located, 23, 25},
		{"of two places the other", 14, "for _, n := range list {\n\tsum += n\n}", finding.Located, 16, 18},
		{"lines left out", 8, "func First(list []int) (int, error) {\n…\n\treturn list[0], nil", finding.Located, 8, 12},
		{"lines left out in a comment", 8, "func First(list []int) (int, error) {\n\t// ...\n\treturn list[0], nil", finding.Located, 8, 12},
		{"nothing left out where it says so", 4, "n := len(list)\n...\nreturn list[n]", finding.Located, 4, 5},
		{"left out at the ends too", 4, "...\nn := len(list)\nreturn list[n]\n...", finding.Located, 4, 5},
		{"short, at its line", 5, "return list[n]", finding.Located, 5, 5},

		{"parts in another order", 8, "\treturn list[0], nil\n…\nfunc First(list []int) (int, error) {", finding.Missing, 8, 0},
		{"lines in another order", 4, "return list[n]\nn := len(list)", finding.Missing, 4, 0},
		{"a line left out and not said", 8, "if len(list) == 0 {\n}", finding.Missing, 8, 0},
		{"another operator", 9, "if len(list) != 0 {\n\treturn 0, errEmpty", finding.Missing, 9, 0},
		{"another number", 25, "return 3 * sum\n}", finding.Missing, 25, 0},
		{"another name", 4, "n := len(lists)\nreturn lists[n]", finding.Missing, 4, 0},
		{"another capital", 3, "func last(list []int) int {", finding.Missing, 3, 0},
		{"a blank more within the line", 3, "func Last(list  []int) int {", finding.Missing, 3, 0},
		{"half a line", 3, "func Last(list []int)", finding.Missing, 3, 0},
		{"short, beside its line", 6, "return list[n]", finding.Missing, 6, 0},
		{"nothing", 4, "", finding.Missing, 4, 0},
		{"nothing but an ellipsis", 4, "...", finding.Missing, 4, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := finding.Index(source).Locate(finding.Finding{File: "list.go", Line: c.line, Code: c.code})
			require.Equal(t, c.state, f.State, f.Reason)
			require.Equal(t, c.from, f.Line)
			require.Equal(t, c.to, f.EndLine)
			require.Equal(t, c.state != finding.Located, f.Reason != "", "the writer is told why: %s", f.Reason)
			require.NotContains(t, f.Reason, "\n")
			require.Equal(t, c.code, f.Code, "the quotation stays as it is")
		})
	}
}

func TestWhatStandsEverywhereCountsOnlyWhereItWasSaidToBe(t *testing.T) {
	text := strings.Repeat("if err := step(ctx, input); err != nil {\n\treturn fmt.Errorf(\"step: %w\", err)\n}\nnext()\nnext()\nnext()\nnext()\nnext()\n", finding.MaxPlaces+1)
	f := finding.Finding{Line: 9, Code: "if err := step(ctx, input); err != nil {\n\treturn fmt.Errorf(\"step: %w\", err)\n}"}
	require.Equal(t, finding.Located, finding.Index(text).Locate(f).State)
	f.Line = 5 // four lines from either
	require.Equal(t, finding.Missing, finding.Index(text).Locate(f).State)
}

func TestOfManyPlacesTheNearestIsTold(t *testing.T) {
	text := strings.Repeat("case first, second:\n\n\treturn \"the same\", third\n", 40)
	f := finding.Finding{Code: strings.TrimSuffix(strings.Repeat("case first, second:\nreturn \"the same\", third\n", 12), "\n")}
	for line := 1; line <= 28*3; line++ {
		f.Line = line
		got := finding.Index(text).Locate(f)
		require.Equal(t, finding.Located, got.State)
		require.Equal(t, line/3*3+1, got.Line, "told %d", line)
	}
}

func TestBytesThatAreNoTextAgreeWithWhatJSONMakesOfThem(t *testing.T) {
	text := "first := \"caf\xe9\xe8\" + second\nreturn first\n"
	for _, code := range []string{"first := \"caf\ufffd\ufffd\" + second", "first := \"caf\xe9\xe8\" + second"} {
		require.Equal(t, finding.Located, finding.Index(text).Locate(finding.Finding{Line: 1, Code: code}).State)
	}
}

// files are Go files of the standard library, large and small.
func files(t *testing.T) []string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	var list []string
	for _, dir := range []string{"bufio", "net/http", "encoding/json", "go/printer", "strconv", "runtime", "os", "text/template"} {
		found, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "src", dir, "*.go"))
		require.NoError(t, err)
		list = append(list, found...)
	}
	require.NotEmpty(t, list, "the standard library is beside the compiler")
	return list
}

// plant is a quotation of a file, as a reviewer would write it down.
type plant struct {
	name string
	finding.Finding
	at int // where it was taken from
}

// dice plants quotations.
type dice struct{ *rand.Rand }

// take quotes one to eight lines from a file, beginning and ending with one
// that is not blank.
func (d dice) take(lines []string) (plant, bool) {
	n := 1 + d.IntN(8)
	if len(lines) <= n {
		return plant{}, false
	}
	at := d.IntN(len(lines) - n)
	part := lines[at : at+n]
	if strings.TrimSpace(part[0]) == "" || strings.TrimSpace(part[n-1]) == "" {
		return plant{}, false
	}
	return plant{"true", finding.Finding{Line: at + 1, EndLine: at + n, Code: strings.Join(part, "\n")}, at + 1}, true
}

// careless writes a true quotation as models do: indented otherwise, with other
// line ends, lines left out, a line number that is wrong by up to 200.
func (d dice) careless(p plant) plant {
	lines := strings.Split(p.Code, "\n")
	if d.IntN(2) == 0 {
		for i, line := range lines {
			lines[i] = strings.Repeat(" ", d.IntN(9)) + strings.TrimLeft(line, "\t")
		}
	}
	if len(lines) > 4 && d.IntN(4) == 0 {
		lines = slices.Concat(lines[:2], []string{"\t…"}, lines[len(lines)-2:])
	}
	p.Code = strings.Join(lines, "\n")
	if d.IntN(3) == 0 {
		p.Code = strings.ReplaceAll(p.Code, "\n", " \r\n")
	}
	if d.IntN(2) == 0 && telling(p.Code) {
		p.Line = max(1, p.Line+d.IntN(401)-200)
		p.EndLine = 0
	}
	return p
}

// telling reports whether somebody could find a quotation without its line: it
// has two lines of some length.
func telling(code string) bool {
	long := 0
	for line := range strings.Lines(code) {
		if len(strings.TrimSpace(line)) > 20 {
			long++
		}
	}
	return long > 1
}

// invented changes a true quotation so that it is none.
func (d dice) invented(p plant) plant {
	change := []struct {
		name string
		do   func(string) string
	}{
		{"operator", d.swap("==", "!=", "<", "<=", "+", "-", "&&", "||", ":=", "=", "++", "--")},
		{"number", d.number},
		{"identifier", d.identifier},
		{"swapped lines", d.swapLines},
		{"line left out", d.leaveOut},
		{"line put in", func(s string) string { return s + "\nreturn errNeverWritten" }},
		{"capital", d.swap("err", "Err", "nil", "Nil", "func", "Func")},
	}[d.IntN(7)]
	p.name, p.Code = change.name, change.do(p.Code)
	return p
}

// swap puts the other word of a pair for one that is there.
func (d dice) swap(pairs ...string) func(string) string {
	return func(s string) string {
		for _, i := range d.Perm(len(pairs)) {
			if strings.Contains(s, pairs[i]) {
				return strings.Replace(s, pairs[i], pairs[i^1], 1)
			}
		}
		return s
	}
}

func (d dice) number(s string) string {
	if i := strings.IndexAny(s, "012345678"); i >= 0 {
		return s[:i] + string(s[i]+1) + s[i+1:]
	}
	return s
}

func (d dice) identifier(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
	if len(words) == 0 {
		return s
	}
	word := words[d.IntN(len(words))]
	return strings.Replace(s, word, word+"s", 1)
}

func (d dice) swapLines(s string) string {
	lines := strings.Split(s, "\n")
	if len(lines) < 2 {
		return s
	}
	i := d.IntN(len(lines) - 1)
	lines[i], lines[i+1] = lines[i+1], lines[i]
	return strings.Join(lines, "\n")
}

func (d dice) leaveOut(s string) string {
	lines := strings.Split(s, "\n")
	if len(lines) < 3 {
		return s
	}
	return strings.Join(slices.Delete(lines, 1, 2), "\n")
}

// stands says in the plainest way whether a text has these lines, but for
// blank lines, blanks at their ends, and what an ellipsis leaves out.
func stands(text, code string) bool {
	text = plain(text)
	for part := range strings.SplitSeq(plain(code), "\n…\n") {
		part = "\n" + strings.Trim(part, "\n") + "\n"
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part)-1:]
	}
	return true
}

func plain(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString("\n" + line)
		}
	}
	return b.String() + "\n"
}

// A reviewer's true quotations are found, however carelessly written, and
// invented ones are not.
func TestTrueQuotationsAreFoundAndInventedOnesAreNot(t *testing.T) {
	d := dice{rand.New(rand.NewPCG(7, 11))}
	var truths, found, placed, lies, believed int
	for _, file := range files(t) {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		lines, l := strings.Split(string(data), "\n"), finding.Index(string(data))
		for range 20 {
			p, ok := d.take(lines)
			if !ok {
				continue
			}
			quoted := d.careless(p)
			truths++
			if f := l.Locate(quoted.Finding); f.IsLocated() {
				found++
				if f.Line == p.at {
					placed++
				}
			} else {
				t.Logf("%s: not found at %d, told %d: %s\n%s", filepath.Base(file), p.at, quoted.Line, f.Reason, quoted.Code)
			}
			lie := d.invented(d.careless(p))
			if stands(string(data), lie.Code) {
				continue // it came out true
			}
			lies++
			if f := l.Locate(lie.Finding); f.IsLocated() {
				believed++
				t.Logf("%s: believed at %d, %s:\n%s", filepath.Base(file), f.Line, lie.name, lie.Code)
			}
		}
	}
	recall, right, alarms := share(found, truths), share(placed, found), share(believed, lies)
	t.Logf("quotations: %d true, recall %.2f %%, at the right line %.2f %%; %d invented, false alarms %.2f %%", truths, recall, right, lies, alarms)
	require.GreaterOrEqual(t, truths, 1000)
	require.GreaterOrEqual(t, lies, 1000)
	require.GreaterOrEqual(t, recall, 99.0)
	require.GreaterOrEqual(t, right, 95.0)
	require.LessOrEqual(t, alarms, 1.0)
}

func share(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }
