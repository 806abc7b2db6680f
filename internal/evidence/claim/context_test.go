package claim_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
)

// Whoever judges a passage of code is told in which function it stands.
func TestAPassageOfCodeSaysInWhatItStands(t *testing.T) {
	for name, c := range map[string]struct {
		text, quote string
		within      []string
	}{
		"a function in Go": {
			"package badger\n\n// DefaultOptions sets what is best for most.\nfunc DefaultOptions(path string) Options {\n\treturn Options{\n\t\tDir:          path,\n\t\tNumMemtables: 5,\n\t\tBlockCacheSize: 256 << 20,\n\t}\n}\n",
			"BlockCacheSize: 256 << 20,",
			[]string{"func DefaultOptions(path string) Options {", "return Options{"},
		},
		"a method in Python": {
			"import os\n\nclass Store:\n    def close(self, wait=True):\n        # all that is pending is written first\n        self.flush(everything=True)\n        self.file.close()\n",
			"self.flush(everything=True)",
			[]string{"class Store:", "def close(self, wait=True):"},
		},
		"behind a block that is closed": {
			"func a() {\n\tone(with, many, words)\n}\n\nfunc b() {\n\tif ready {\n\t\tgo1()\n\t}\n\treturn errNotReadyForThis\n}\n",
			"return errNotReadyForThis",
			[]string{"func b() {"},
		},
		"a brace on a line of its own": {
			"complete()\n{\n    local out requestComp\n    out=$(eval \"${requestComp}\" 2>/dev/null)\n}\n",
			"out=$(eval \"${requestComp}\" 2>/dev/null)",
			nil,
		},
		"a line that stands in nothing": {"const Limit = 16 << 20 // bytes, which no report is longer than\n", "which no report is longer than", nil},
		"prose with an indented list":   {"The store has three parts:\n\n  - the log of what was written to it\n  - the index over all of it\n", "the log of what was written to it", nil},
	} {
		t.Run(name, func(t *testing.T) {
			lib := library{"x.go": c.text}
			e := claim.Locate(claim.Register(nil, []claim.Draft{{Text: "It is so.", Quote: c.quote, Source: "x.go", Seat: "a"}}), lib)[0]
			require.Equal(t, claim.Located, e.Location.State, e.Location.Reason)
			require.Equal(t, c.within, e.Location.Within)
		})
	}
}

// Where a passage begins its paragraph, what it goes on from stands in the one before.
func TestAPassageAtTheHeadOfItsParagraphIsToldWithTheOneBefore(t *testing.T) {
	text := "Older lines say nothing of it.\n\n  # Regular commands recurse by default\n  git config --global submodule.recurse true\n\n  # Unlike most other commands below, clone still needs\n  # its own flag for that:\n  git clone --recurse URL\n\n  # See the list of them\n"
	contextOf := func(quote string) string {
		e := claim.Locate(claim.Register(nil, []claim.Draft{{Text: "It is so.", Quote: quote, Source: "x.txt", Seat: "a"}}), library{"x.txt": text})[0]
		require.Equal(t, claim.Located, e.Location.State, e.Location.Reason)
		return e.Location.Context
	}
	require.True(t, strings.HasPrefix(contextOf("# Unlike most other commands below, clone still needs"), "# Regular commands recurse by default\n  git config --global submodule.recurse true\n\n"))
	require.NotContains(t, contextOf("clone still needs\n  # its own flag"), "Regular")
}

// Whoever judges a passage of a page is told under which heading it stands.
func TestAPassageOfAPageSaysUnderWhichHeadingItStands(t *testing.T) {
	page := "<html><head><title>Compile-time options</title></head><body>\n<script>\nonload = function() { open() }\n</script>\n<h2 id=\"rec\">2. Recommended <i>options</i></h2>\n<p>The following options are recommended for those who can use them.</p>\n<h2>3. Others</h2><p>Each of these is rarely of any use at all.</p></body></html>"
	for name, c := range map[string]struct {
		ref, text, quote string
		within           []string
	}{
		"a page":             {"doc/options.html", page, "The following options are recommended", []string{"Compile-time options", "2. Recommended options"}},
		"behind another":     {"doc/options.html", page, "Each of these is rarely of any use", []string{"Compile-time options", "3. Others"}},
		"Markdown":           {"doc/x.md", "# Heater\n\n## Limits ##\n\nThe heater takes no more than 3 kW at any time.\n\n## More\n", "The heater takes no more than 3 kW", []string{"Limits"}},
		"plain text":         {"doc/x.txt", "HEATER\n======\n\nLimits\n------\n\nThe heater takes no more than 3 kW at any time.\n\nMore\n----\n", "The heater takes no more than 3 kW", []string{"Limits"}},
		"AsciiDoc":           {"doc/x.adoc", "= Heater\n\n== Limits\n\nThe heater takes no more than 3 kW at any time.\n\n== More\n", "The heater takes no more than 3 kW", []string{"Limits"}},
		"a rule is none":     {"doc/x.txt", "It is short.\n\n--------------------------------------------------\n\nThe heater takes no more than 3 kW at any time.\n", "The heater takes no more than 3 kW", nil},
		"above any heading":  {"doc/x.md", "The heater takes no more than 3 kW at any time.\n\n## More\n", "The heater takes no more than 3 kW", nil},
		"no form with heads": {"doc/x.txt", "# Heater\n\nThe heater takes no more than 3 kW at any time.\n", "The heater takes no more than 3 kW", nil},
	} {
		t.Run(name, func(t *testing.T) {
			e := claim.Locate(claim.Register(nil, []claim.Draft{{Text: "It is so.", Quote: c.quote, Source: c.ref, Seat: "a"}}), library{c.ref: c.text})[0]
			require.Equal(t, claim.Located, e.Location.State, e.Location.Reason)
			require.Equal(t, c.within, e.Location.Within)
			require.NotContains(t, claim.Readable(c.ref, e.Location.Context), "onload")
		})
	}
}

func TestNobodyReadsScripts(t *testing.T) {
	for piece, read := range map[string]string{
		"ready = 1;\n}\n</script>\n<p>It holds.</p>":                  "It holds.",
		"<p>It holds.</p><script type=\"module\">\nready = 1 < 2;":    "It holds.",
		"<p>It <b>holds</b>.</p><style>p { color: red }</style><p>So": "It holds.\nSo",

		"p>In WAL mode.</p>": "In WAL mode.",
		"/b> holds.</p>":     "holds.",
		"n > 3 and m > 4":    "n > 3 and m > 4",

		"<p>A script and a style are words too.</p>": "A script and a style are words too.",
	} {
		require.Equal(t, read, claim.Readable("doc/x.html", piece), piece)
	}
}

// A context that is cut for its length has whole words at both ends.
func TestAContextHasWholeWordsAtItsEnds(t *testing.T) {
	for shift := range 9 {
		before := strings.Repeat("x", shift) + strings.Repeat(" earliest", 80) + ", and so "
		text := before + "the heater waits for a full kettle" + strings.Repeat(" afterwards", 80) + "."
		e := claim.Locate(claim.Register(nil, []claim.Draft{{Text: "It is so.", Quote: "the heater waits for a full kettle", Source: "x.md", Seat: "a"}}), library{"x.md": text})[0]
		require.Regexp(t, `^earliest .* earliest, and so the heater waits for a full kettle (afterwards )+afterwards$`, e.Location.Context)
	}
}

// A claim of code names the lines that it takes to judge it; its quotation is one of them.
func TestTheLinesThatAClaimNamesAreItsContext(t *testing.T) {
	code := "func (c *Command) run() error {\n\terr := c.parse()\n\n\tif errors.Is(err, ErrHelp) {\n\t\tc.help()\n\t\treturn nil\n\t}\n\n\tif !c.silent {\n\t\tc.Println(c.UsageString())\n\t}\n\n\treturn err\n}\n"
	context := func(lines string) string {
		e := claim.Locate(claim.Register(nil, []claim.Draft{{Text: "It is so.", Quote: "c.Println(c.UsageString())", Source: "x.go" + lines, Seat: "a"}}), library{"x.go": code})[0]
		require.Equal(t, claim.Located, e.Location.State)
		return e.Location.Context
	}
	require.Contains(t, context(":4-12"), "errors.Is(err, ErrHelp)")
	require.NotContains(t, context(":4-12"), "c.parse()")
	require.NotContains(t, context(":10-10"), "ErrHelp")
	code += strings.Repeat("// one more line of a long file\n", 100)
	require.NotContains(t, context(":4-110"), "ErrHelp", "who names a whole file names nothing")
}
