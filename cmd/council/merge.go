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

	"research-council/internal/evidence/claim"
	"research-council/internal/host/program"
)

func mergeCommand(e program.Env) *cobra.Command {
	return &cobra.Command{
		Use: "merge", Short: "Merge claims that say the same, and name those in conflict: JSON lines in, JSON lines out",
		Long: `Merge reads claims, one JSON object a line, and writes what they come to.

In:  {"text", "source", "seat", "family", "confidence", "source_type", "questions", "critical"}
     Text and source are required; claim, evidence and agent are other names of
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

Claims say the same when all that carries content is said in one order, with
equal numbers, units, negations and scope, or when over 80 % of their words are
shared (Jaccard) and one has only words more. They may contradict each other
when they differ in one point alone: a number of the same thing, a negation, a
word and its opposite, a date of an event. The result is the same in whatever
order claims come. A million claims take less than 350 MB of
memory; what is no file is kept in one, in the folder for temporary files,
while the program runs.`,
		Example: `council merge < claims.jsonl
cat research/*/seats/*/claims.jsonl | council merge | jq -c 'select(.consensus)'
council merge < claims.jsonl | jq -c '.conflict // empty'`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return merge(e.Stdin, e.Stdout) },
	}
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
