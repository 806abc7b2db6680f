package quote_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote"
)

// Ordinary short sentences, and quotations that leave a part of them out: one
// that leaves a "not" out of a sentence it quotes is refused, any other is found
// with what it leaves out.
func TestEllipses(t *testing.T) {
	data, err := os.ReadFile("testdata/ellipses.jsonl")
	require.NoError(t, err)
	for line := range strings.Lines(string(data)) {
		var c struct {
			Text, Quotation, Expect, Why string
			Gaps                         []string
		}
		require.NoError(t, json.Unmarshal([]byte(line), &c))
		r := quote.Index(c.Text).FindOrExplain(c.Quotation)
		if c.Expect != "open" {
			require.Equal(t, c.Expect == "accept", r.Found, "%q of %q: %s", c.Quotation, c.Text, c.Why)
		}
		if !r.Found || len(c.Gaps) == 1 && c.Gaps[0] == "" {
			continue
		}
		require.Len(t, r.Match.Gaps, len(c.Gaps), "%q of %q", c.Quotation, c.Text)
		for i, g := range r.Match.Gaps {
			require.Equal(t, strings.Trim(c.Gaps[i], " ,."), strings.Trim(c.Text[g.Start:g.End], " ,."))
		}
	}
}

func TestARefusedEllipsisSaysWhatItLeavesOut(t *testing.T) {
	for quoted, word := range map[string]string{
		"The cache is … safe for concurrent use.": "not",
		"The cache … safe for … use":              "not",
		"The lock is held … five minutes.":        "at most",
		"… the paths are short.":                  "Except",
		"It is fast … on small inputs":            "only",
	} {
		const text = "The cache is not safe for concurrent use. The lock is held at most five minutes. Except on Windows, the paths are short. It is fast only on small inputs."
		r := quote.Index(text).FindOrExplain(quoted)
		require.False(t, r.Found, quoted)
		require.Contains(t, r.Match.Findings, guard.Finding{Kind: guard.Gap, Text: word}, quoted)
		require.NotEmpty(t, r.Nearest, quoted)
	}
}

// A phrase that decides is left out though its last word stands in the quotation.
func TestAnEllipsisMayNotCutAPhraseInTwo(t *testing.T) {
	for _, c := range []struct{ text, quoted, phrase string }{
		{"The fever lasted up to 50 days in that year.", "The fever lasted … to 50 days in that year.", "up to"},
		{"The old mill is far from satisfied demand.", "The old mill is … from satisfied demand.", "far from"},
		{"Le pont tient, à moins que la rivière ne monte.", "Le pont tient, à … que la rivière ne monte.", "moins que"},
		{"The Foo_bar value fell to a low point.", "The … bar value fell to a low point.", "Foo_bar"},
		{"这座桥几乎没有人走过，因为它太旧了。", "这座桥 … 乎没有人走过", "几乎"},
	} {
		r := quote.Index(c.text).FindOrExplain(c.quoted)
		require.False(t, r.Found, c.quoted)
		require.Len(t, r.Match.Findings, 1, c.quoted)
		require.Contains(t, r.Match.Findings[0].Text, c.phrase)
	}
}

// A passage of which nothing is turned is found, though a like one stands nearer
// together.
func TestAnEllipsisIsHeldAgainstThePassageItFits(t *testing.T) {
	const text = "The cache is not safe for reads. Since the second release the cache is by now quite safe for reads."
	m, ok := quote.Find(text, "the cache is … safe for reads")
	require.True(t, ok)
	require.Equal(t, "the cache is by now quite safe for reads", text[m.Start:m.End])
	require.Equal(t, "by now quite", text[m.Gaps[1].Start:m.Gaps[1].End])
}

// Words picked from sentences far apart are no quotation.
func TestFewWordsAreNotPutTogetherFromAnywhere(t *testing.T) {
	text := "Rust has macros. " + strings.Repeat("The weather was fine that day. ", 50) + "Macros are slow."
	for _, quoted := range []string{"Rust … slow.", "Rust has … are slow.", "Rust has macros. … slow.", "Rust has macros … are slow"} {
		_, ok := quote.Find(text, quoted)
		require.False(t, ok, quoted)
	}
	_, ok := quote.Find(text, "Rust has macros. … Macros are slow.")
	require.True(t, ok, "whole sentences")
}

// Statements of code and whole sentences may be left out, whatever stands in them.
func TestWholeSentencesAndStatementsMayBeLeftOut(t *testing.T) {
	const code = `	// Write dirty pages to disk.
	startTime = time.Now()
	if err = tx.write(); err != nil {
		lg.Errorf("writing data failed: %v", err)
		tx.rollback()
		return err
	}

	// If strict mode is enabled then perform a consistency check.
	if tx.db.StrictMode {
		if len(errs) > 0 {
			panic("check fail: " + strings.Join(errs, "\n"))
		}
	}

	// Write meta to disk.
	if err = tx.writeMeta(); err != nil {
		return err
	}
	for _, b := range reqs {
		if len(b.Entries) == 0 {
			continue
		}
		count += len(b.Entries)
		// It returns errNoRoom only when the DB is not open.
		if err := db.writeToLSM(b); err != nil {
			return err
		}
	}
`
	const prose = "concurrent Batch calls can be combined into a single transaction.\n\n2. the function may be called several times, regardless of whether it returns an error or not.\n\nBatch is only useful when many goroutines call it."
	for _, c := range []struct{ text, quoted string }{
		{code, "// Write dirty pages to disk.\n\tstartTime = time.Now()\n\tif err = tx.write(); err != nil {…// Write meta to disk.\n\tif err = tx.writeMeta(); err != nil {"},
		{code, "for _, b := range reqs {\n\t\tif len(b.Entries) == 0 {\n\t\t\tcontinue\n\t\t}…if err := db.writeToLSM(b); err != nil {"},
		{code, "for _, b := range reqs { … if err := db.writeToLSM(b); err != nil {"},
		{prose, "concurrent Batch calls can be combined into a single transaction. … Batch is only useful when many goroutines call it."},
	} {
		r := quote.Index(c.text).FindOrExplain(c.quoted)
		require.True(t, r.Found, "%q: %v", c.quoted, r.Match.Findings)
		require.Empty(t, r.Match.Findings, c.quoted)
	}
}

func TestALineOfCodeThatIsCutIntoIsHeldToItsWords(t *testing.T) {
	const code = "\tif !db.opt.SyncWrites && n > 10 {\n\t\treturn errNotSynced\n\t}\n\tflush(db)\n"
	for _, quoted := range []string{"if … n > 10 { return errNotSynced }", "if !db.opt.SyncWrites … { return errNotSynced }"} {
		require.False(t, quote.Index(code).FindOrExplain(quoted).Found, quoted)
	}
}

// Lines of prose end anywhere, with a bracket too.
func TestABracketAtTheEndOfALineOfProseEndsNoStatement(t *testing.T) {
	for text, quoted := range map[string]string{
		"Mortality fell with the drug (RR = 0.8)\nonly in men (n = 20)\nand in all centres of the trial.": "Mortality fell with the drug (RR = 0.8) … and in all centres of the trial.",
		"The store is safe for many readers (see above)\nunless one writes (rarely)\nand fast for all.":   "The store is safe for many readers (see above) … and fast for all.",
		"It loses no event(s)\nif it never crashes (sic)\nand needs no care at all.":                      "It loses no event(s) … and needs no care at all.",
	} {
		require.False(t, quote.Index(text).FindOrExplain(quoted).Found, quoted)
	}
}

func TestASentenceLeftOutThatTakesBackIsTold(t *testing.T) {
	for text, told := range map[string]string{
		"Redis keeps all of its data in memory. It is not a message queue. It can persist data to disk.":                                                                                    "It is not a message queue",
		"Redis keeps all of its data in memory. However, with a module installed much of it can live on disks that are attached to other machines of the group. It can persist data.":       "However, with a module installed much of it can live on disks that are attached to o",
		"Redis keeps all of its data in memory. Its authors have written at length of how the format of files came about and why no change of it was ever needed. It can persist the data.": "",
	} {
		last := text[strings.Index(text, "It can"):]
		r := quote.Index(text).FindOrExplain("Redis keeps all of its data in memory. … " + last)
		require.True(t, r.Found, text)
		if told == "" {
			require.Empty(t, r.Match.Findings, text)
			continue
		}
		require.Len(t, r.Match.Findings, 1, text)
		require.Equal(t, guard.Answered, r.Match.Findings[0].Kind)
		require.Contains(t, r.Match.Findings[0].Text, told[:20])
	}
}
