package main

import (
	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/evidence/quote/lookup"
	"github.com/research-council/research-council/internal/host/program"
)

func quoteCommand(e program.Env) *cobra.Command {
	return &cobra.Command{
		Use: "quote", Short: "Tell whether texts hold quotations: JSON lines in, JSON lines out",
		Long: `Quote reads JSON lines {"id", "text", "quote"} or {"id", "file", "quote"} and
answers each with

  {"id", "found", "tier", "start", "end", "segments", "gaps", "findings", "nearest"}

Tier is exact, normalised (typesetting undone), space-less (blanks lost, as in
text from PDF), near (a word or two misspelt) or elided (words left out; then
segments are the parts that stand there, and gaps what stands between them).
Whatever the tier, numbers, dates, units, negations, comparators, quantifiers,
hedges and names agree, and the passage is not cut behind a "not" or before a
"million".

Start and end are offsets in bytes of the text's UTF-8, end exclusive: in Python
text.encode()[start:end]. Findings are, for what is found, words an ellipsis
hides and that change the sentence; for what is not found, the deciding words
in which quotation and source differ, with start and end of the passage that
was refused, and nearest is the source's passage most like the quotation.

Id is any JSON value and comes back as it was. Each line is answered as it is
read. Lines about one text should follow one another: it is then prepared once.
A line that cannot be answered gets {"line", "error"}, and the exit code is 1.`,
		Example: `echo '{"id":1,"text":"It fell by 5 percent.","quote":"It fell by 6 percent."}' | council quote
council quote < quotations.jsonl | jq -c 'select(.found | not)'`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			texts := lookup.Texts{MaxBytes: maxLineBytes}
			return filter(e.Stdin, e.Stdout, texts.Answer)
		},
	}
}
