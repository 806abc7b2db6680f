package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/host/program"
)

func mergeCommand(e program.Env) *cobra.Command {
	var judged judgedMerge
	c := &cobra.Command{
		Use: "merge", Short: "Merge claims that say the same, and name those in conflict: JSON lines in, JSON lines out",
		Long: `Merge reads claims, one JSON object a line, and writes what they come to.

In:  {"text", "source", "seat", "family", "confidence", "source_type", "questions", "critical"}
     {"kind": "inference" or "recommendation", "rests_on": ["…"], "text", …}
     Text and source are required, of what rests on other claims text and
     rests_on; claim, evidence and agent are other names of
     text, source and seat. Confidence is High, Medium or Low; source_type is
     official_doc, code_reference, community or standard.
Out: {"id", "text", "source", "key", "seats", "members", "sources", "consensus", "conflicts", …}
     for each set of claims that say the same, in the order of their first
     lines; members are line numbers, consensus is two families or more (a seat
     of no named family is one of its own).
     {"conflict": {"id", "a", "b", "kind", "severity", "possible", "detail", "status"}}
     for each two sets that may not both hold; kind is fact, definition, date,
     scope or method, and without judges every one is only possible.
     {"line": N, "error": "…"} for each line that is no claim; the exit code is
     then 1, and the others are merged all the same.

Claims say the same when they stand in the same words: white space, a first
capital, a full stop and, in English, articles and how a number or date is
spelled apart. They may contradict each other when they differ in one point
alone: a number of the same thing, a negation, a word and its opposite, a date
of an event. Up to 4,000 different claims are held against each other in other
words too: set phrases, passives, synonyms. Of what is longer than a sentence
the rules say nothing. A claim may name, as ids that lines have, those that do not
hold if it does ("id", "contradicts"): these are possible conflicts, said by its
seat. The result is the same in whatever order claims come. A million claims take less than 350 MB of
memory; what is no file is kept in one, in the folder for temporary files,
while the program runs.

With --judge, seats of the configuration say of the likeliest pairs what the two
claims have to do with each other, as the comparison of a council does: what two
model families say is agreed, and the program forbids to call the same what
differs in a number, a negation, an opposite or the verb that decides. The ids
are then C and the number of the first line, conflicts that families agree on
are not only possible, and there are lines more. Pairs of which a claim says that not both hold are judged first.
     {"relation": {"a", "b", "relation", "single", "condition", "dispute", "words", "settle", "veto", "voices"}}
The cost is told before and after. It is a run like any other: stopped, it goes
on with the same command; completed, the same command costs nothing again. With
--json all is one object: {"run", "spent", "claims", "conflicts", "relations", "refused"}.`,
		Example: `council merge < claims.jsonl
cat research/*/seats/*/claims.jsonl | council merge | jq -c 'select(.consensus)'
council merge < claims.jsonl | jq -c '.conflict // empty'
council merge --judge claude,codex --max-usd 1 < claims.jsonl
council merge --judge claude,codex --dry-run < claims.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := judged.misused(c); err != nil {
				return err
			}
			if c.Flags().Changed("judge") {
				return judged.run(c, e)
			}
			return merge(e.Stdin, e.Stdout)
		},
	}
	judged.flags(c)
	return c
}

// mergeMemory is where the collector begins to work harder, in bytes.
const mergeMemory = 300 << 20

// merge reads claims and writes what they come to.
func merge(in io.Reader, out io.Writer) error {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(mergeMemory))
	lines, in, done, err := rereadable(in)
	if err != nil {
		return err
	}
	defer done()
	buffered := bufio.NewWriter(out)
	failed := false
	var pile claim.ExternalMerger
	err = pile.Read(in, func(r claim.Refusal) error {
		failed = true
		return encodeLine(buffered, lineError{Line: r.Line, Error: r.Reason})
	})
	if err == nil {
		err = errors.Join(buffered.Flush(), pile.Merge(lines, out))
		for _, r := range pile.Unknown {
			failed = true
			err = errors.Join(err, encodeLine(out, lineError{Line: r.Line, Error: r.Reason}))
		}
	}
	if err == nil && failed {
		return exitCode(codeFailed)
	}
	return err
}

// rereadable makes an input one that can be read again: a file as it is, anything
// else by way of one that has no name, where the system allows that.
func rereadable(in io.Reader) (again io.ReaderAt, once io.Reader, done func(), err error) {
	if file, ok := in.(*os.File); ok {
		info, err := file.Stat()
		at, seekErr := file.Seek(0, io.SeekCurrent)
		if err == nil && seekErr == nil && info.Mode().IsRegular() {
			return io.NewSectionReader(file, at, math.MaxInt64-at), in, func() {}, nil
		}
	}
	spool, err := os.CreateTemp("", "council-merge-*")
	if err != nil {
		return nil, nil, nil, fmt.Errorf("keep the claims to read them again: %w", err)
	}
	gone := os.Remove(spool.Name()) == nil
	done = func() {
		_ = spool.Close() // nothing in it is needed any more
		if !gone {
			_ = os.Remove(spool.Name())
		}
	}
	return spool, io.TeeReader(in, spool), done, nil
}
