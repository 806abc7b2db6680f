// Command wrongsource measures how well the audit's signal tells a wrong
// source from a right one, and how little it says of support.
//
//	go run ./test/eval/wrongsource [--json] DIR
//
// DIR holds expertqa-domain-val.jsonl.xz, a question a line: claims, each with
// the evidence it was given and an expert's label of support. A claim's own
// evidence is a right source; the evidence of another question is a wrong one.
// Evidence that is only an address, and what is as short as one, is left out.
// Longer pages are made by adding passages of other questions to both. The
// system's xz unpacks the file.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/evidence/audit"
	"github.com/research-council/research-council/test/eval/xz"
)

func main() {
	asJSON := flag.Bool("json", false, "print JSON")
	flag.Parse()
	if err := run(os.Stdout, flag.Arg(0), *asJSON); err != nil {
		fmt.Fprintln(os.Stderr, "wrongsource:", err)
		os.Exit(1)
	}
}

// pair is a claim with its evidence.
type pair struct {
	claim, evidence string
	question        int
	label           string // Complete, Partial, Incomplete, Missing
}

// Row is what was measured with pages of so many passages.
type Row struct {
	Passages    int     `json:"passages"`
	Pairs       int     `json:"pairs"`
	AUROC       float64 `json:"auroc"`        // wrong source against right
	FalseAlarms float64 `json:"false_alarms"` // right sources the audit would call wrong
	Found       float64 `json:"found"`        // wrong sources it would
	Support     float64 `json:"support"`      // AUROC of complete support against other labels, right sources alone
}

func run(w io.Writer, dir string, asJSON bool) error {
	if dir == "" {
		return errors.New("name the folder that holds expertqa-domain-val.jsonl.xz")
	}
	data, err := xz.Read(filepath.Join(dir, "expertqa-domain-val.jsonl.xz"))
	if err != nil {
		return err
	}
	pairs, err := decode(data)
	if err != nil {
		return err
	}
	var rows []Row
	for _, passages := range []int{1, 5, 20} {
		rows = append(rows, measure(pairs, passages))
	}
	if asJSON {
		return json.NewEncoder(w).Encode(rows)
	}
	return write(w, rows)
}

// shortest is how long evidence has to be, in bytes: what is shorter is an
// address with a title.
const shortest = 200

func decode(data []byte) ([]pair, error) {
	var pairs []pair
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 64<<20)
	for question := 0; lines.Scan(); question++ {
		var q struct {
			Answers map[string]struct {
				Claims []struct {
					Text     string `json:"claim_string"`
					Evidence []string
					Support  string
				}
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return nil, fmt.Errorf("read question %d: %w", question+1, err)
		}
		systems := make([]string, 0, len(q.Answers))
		for name := range q.Answers {
			systems = append(systems, name)
		}
		slices.Sort(systems)
		for _, name := range systems {
			for _, c := range q.Answers[name].Claims {
				evidence := strings.Join(c.Evidence, "\n")
				if strings.Contains(evidence, "\n\n") && len(evidence) > shortest {
					pairs = append(pairs, pair{c.Text, evidence, question, c.Support})
				}
			}
		}
	}
	return pairs, lines.Err()
}

// measure holds each claim against its own evidence and against another
// question's, in pages of so many passages.
func measure(pairs []pair, passages int) Row {
	pages := make([]*audit.Page, len(pairs))
	for i, p := range pairs {
		pages[i] = audit.NewPage(p.evidence)
	}
	weights := audit.NewWeights(pages)
	dice := rand.New(rand.NewPCG(1, uint64(passages))) // the same pages each time
	row := Row{Passages: passages}
	var right, wrong, complete, other []float64
	alarms, found := 0, 0
	for _, p := range pairs {
		page := audit.NewPage(p.evidence + fill(pairs, p.question, passages-1, dice))
		share, words := weights.Coverage(p.claim, page)
		if words < audit.MinWords {
			continue
		}
		right = append(right, share)
		alarms += one(share < audit.Threshold(page))
		if p.label == "Complete" {
			complete = append(complete, share)
		} else {
			other = append(other, share)
		}
		page = audit.NewPage(fill(pairs, p.question, passages, dice))
		share, _ = weights.Coverage(p.claim, page)
		wrong = append(wrong, share)
		found += one(share < audit.Threshold(page))
	}
	row.Pairs, row.AUROC, row.Support = len(right), auroc(right, wrong), auroc(complete, other)
	row.FalseAlarms, row.Found = share(alarms, len(right)), share(found, len(wrong))
	return row
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func share(n, of int) float64 { return float64(n) / float64(max(1, of)) }

// fill is passages of other questions.
func fill(pairs []pair, question, n int, dice *rand.Rand) string {
	var b strings.Builder
	for n > 0 {
		if p := pairs[dice.IntN(len(pairs))]; p.question != question {
			b.WriteString("\n" + p.evidence)
			n--
		}
	}
	return b.String()
}

// auroc is the chance that one of the first is larger than one of the second,
// ties counting half.
func auroc(first, second []float64) float64 {
	if len(first)*len(second) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(second))
	sum := 0.0
	for _, x := range first {
		lower, _ := slices.BinarySearch(sorted, x)
		upper := lower
		for upper < len(sorted) && sorted[upper] == x {
			upper++
		}
		sum += float64(lower) + float64(upper-lower)/2
	}
	return sum / float64(len(first)*len(second))
}

func write(w io.Writer, rows []Row) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "### Wrong sources\n\nA claim against its own evidence and against that of another question, %d pairs with text.\n\n", rows[0].Pairs)
	fmt.Fprintln(b, "| passages in a page | AUROC wrong source | wrong ones found | right ones called wrong | AUROC support |\n|---|---|---|---|---|")
	for _, r := range rows {
		fmt.Fprintf(b, "| %d | %.3f | %.1f %% | %.1f %% | %.3f |\n", r.Passages, r.AUROC, 100*r.Found, 100*r.FalseAlarms, r.Support)
	}
	fmt.Fprintln(b, "\nSupport: experts' label “Complete” against all others, on right sources alone; 0.5 is chance. The signal tells another matter from the same one, and nearly nothing about whether a passage supports a claim: the audit does not judge that.")
	return b.Flush()
}
