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
