// Command seat is a fake seat of a council that does as it is told: it claims
// what a file says, cites every claim of the registry that was located, and
// votes that every passage supports its claim. It thinks nothing.
//
//	seat CLAIMS [REPORT]
//
// CLAIMS is copied to claims.jsonl in the stage of research, REPORT, where it
// is given, is what the seat reports instead of its own words.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/relation"
	"github.com/research-council/research-council/internal/evidence/vote"
	"github.com/research-council/research-council/internal/output/report"
)

func main() {
	if err := run(os.Args[1:], os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "seat:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader) error {
	if len(args) < 1 {
		return errors.New("usage: seat CLAIMS [REPORT]")
	}
	asked, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("read what is asked: %w", err)
	}
	at := os.Getenv("RESEARCH_REPORT_PATH")
	said, err := answer(role(string(asked)), args, filepath.Dir(at))
	if err != nil {
		return err
	}
	return os.WriteFile(at, []byte(said+"\n\n"+agent.Marker+"\n"), 0o600)
}

// role is the first heading of what is asked.
func role(asked string) string {
	for line := range strings.Lines(asked) {
		if title, ok := strings.CutPrefix(line, "# "); ok {
			return strings.TrimSpace(title)
		}
	}
	return ""
}

func answer(role string, args []string, dir string) (string, error) {
	switch role {
	case "Synthesis":
		return synthesis(dir)
	case "Comparing Claims":
		return judgements(dir)
	case "Votes on Evidence":
		return votes(dir)
	case "Research":
		claims, err := os.ReadFile(args[0])
		if err != nil {
			return "", fmt.Errorf("read the claims: %w", err)
		}
		if err := os.WriteFile(filepath.Join(dir, "claims.jsonl"), claims, 0o600); err != nil {
			return "", err
		}
		if len(args) > 1 {
			own, err := os.ReadFile(args[1])
			return string(own), err
		}
	}
	return "## Executive Summary\n\n" + prose + "\n\n## Key Findings\n\n" + prose, nil
}

var prose = strings.Repeat("What there is to say stands in the claims, each with its quotation and its source. ", 8)

// synthesis is a draft that cites every located claim once, as many as a
// report may hold.
func synthesis(dir string) (string, error) {
	const most = 1500
	files, err := filepath.Glob(filepath.Join(dir, "inputs", "registry.json"))
	if err != nil || len(files) == 0 {
		return "", errors.New("no registry was handed over")
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		return "", fmt.Errorf("read the registry: %w", err)
	}
	reg, err := claim.ParseRegistry(data)
	if err != nil {
		return "", fmt.Errorf("read the registry: %w", err)
	}
	var findings strings.Builder
	cited := 0
	for _, e := range reg.Entries {
		if e.Location.State == claim.Located && cited < most {
			fmt.Fprintf(&findings, "A finding rests on a quotation [%s].\n\n", e.ID)
			cited++
		}
	}
	var b strings.Builder
	for _, name := range report.Council.Headings() {
		if name == "Comprehensive Source List" {
			continue
		}
		b.WriteString("## " + name + "\n\n" + prose + "\n\n")
		if name == "Key Findings" {
			b.WriteString(findings.String())
		}
	}
	return b.String(), nil
}

// judgements answers that no claim has to do with another.
func judgements(dir string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "inputs", "pairs-*.md"))
	if err != nil || len(files) == 0 {
		return "", errors.New("no pairs were handed over")
	}
	paper, err := os.ReadFile(files[len(files)-1])
	if err != nil {
		return "", fmt.Errorf("read the pairs: %w", err)
	}
	var a relation.Answer
	for _, id := range vote.PairIDs(paper) {
		a.Pairs = append(a.Pairs, relation.Said{Pair: id, Relation: string(relation.Unrelated), Words: "each of its own page"})
	}
	text, err := json.Marshal(a)
	return string(text), err
}

// votes answers that every passage of the ballot supports its claim.
func votes(dir string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "inputs", "ballot-*.md"))
	if err != nil || len(files) == 0 {
		return "", errors.New("no ballot was handed over")
	}
	f, err := os.Open(files[0])
	if err != nil {
		return "", err
	}
	defer f.Close()
	head := regexp.MustCompile(`^#+ (C\d+)\b`)
	var b strings.Builder
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		if id := head.FindStringSubmatch(in.Text()); id != nil {
			line, err := json.Marshal(map[string]string{"id": id[1], "answer": "supports", "reason": "the passage says so"})
			if err != nil {
				return "", err
			}
			b.Write(append(line, '\n'))
		}
	}
	return b.String(), in.Err()
}
