package records

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/library"
	"github.com/research-council/research-council/internal/evidence/source"
	"github.com/research-council/research-council/internal/product/council"
)

// claimsFile is the file a worker's claims stand in.
const claimsFile = "claims.jsonl"

func (d *recording) queueClaims() error {
	if d.Claims == "" {
		return nil
	}
	data, err := d.readInput("claims", d.Claims, claim.FileLimit)
	if err != nil {
		return err
	}
	drafts, refusals := claim.Decode(bytes.NewReader(data), d.seat, "")
	switch {
	case len(refusals) > 0:
		return usage.Errorf("--claims: line %d: %s (nothing was recorded)", refusals[0].Line, refusals[0].Reason)
	case len(drafts) == 0:
		return usage.Errorf("--claims: there is no claim in it")
	}
	for _, c := range drafts {
		if c.Quote == "" && !c.Kind.RestsOnClaims() && c.Withdraws == "" {
			return usage.Errorf("--claims: %q has no quotation, and without one a claim does not count (nothing was recorded)", plain.Line(c.Text, 80))
		}
	}
	return d.locateClaims(drafts)
}

// locateClaims looks for the quotations of claims, and has those recorded that are not
// known to be wrong.
func (d *recording) locateClaims(drafts []claim.Draft) error {
	r, err := supervisor.Read(d.project, d.folder.ID)
	if err != nil {
		return err
	}
	pages, err := archive.Open(d.folder.Join(council.SourcesDir), d.caller.Archive(r.Setup.Network))
	if err != nil {
		return fmt.Errorf("open the archive: %w", err)
	}
	texts, err := library.Open(r.Setup.Scope, pages)
	if err != nil {
		return err
	}
	data, _ := d.folder.Read(d.name(claimsFile)) // none is empty
	before, _ := claim.Decode(bytes.NewReader(data), d.seat, "")
	known, _ := d.folder.Registry() // none is empty
	var lines []byte
	for _, c := range drafts {
		if problem := claim.DraftProblem(known.Entries, before, c); problem != "" || c.Withdraws != "" {
			d.out.Claims = append(d.out.Claims, namesResult(c, problem))
			if problem == "" {
				lines, before = append(lines, c.Line()...), append(before, c)
			}
			continue
		}
		entries, e := tryClaim(c, before, known.Entries, texts.ArchivedOnly())
		l := e.Location
		out := ClaimResult{Text: c.Text, State: l.State, Nearest: l.Nearest, Recorded: isRecordable(entries, e)}
		again := slices.ContainsFunc(before, func(old claim.Draft) bool { return reflect.DeepEqual(old, c) })
		out.Says = claimMessage(c, l, out.Recorded, again)
		d.out.Claims = append(d.out.Claims, out)
		if out.Recorded && !again {
			lines, before = append(lines, c.Line()...), append(before, c)
		}
	}
	if len(lines) > 0 {
		d.writes = append(d.writes, func() error { return d.append(claimsFile, lines, claim.FileLimit) })
	}
	return texts.Close()
}

// namesResult is what came of a claim that is withdrawn, or that names others which it
// may not.
func namesResult(c claim.Draft, problem string) ClaimResult {
	out := ClaimResult{Text: c.Text, State: claim.Unchecked, Says: "refused: " + problem + "."}
	if c.Withdraws != "" {
		out.Text = c.Withdraws
	}
	if problem == "" {
		out.State, out.Recorded, out.Says = claim.Withdrawn, true, "withdrawn."
	}
	return out
}

// tryClaim looks for a claim's quotation, or at the claims it rests on: those of the
// registry and those recorded before.
func tryClaim(c claim.Draft, before []claim.Draft, known []claim.Entry, texts claim.Library) ([]claim.Entry, claim.Entry) {
	drafts := []claim.Draft{c}
	if c.Kind.RestsOnClaims() {
		drafts = append(slices.Clone(before), c)
	} else {
		known = nil
	}
	entries, places := claim.Try(known, drafts, texts)
	return entries, entries[places[len(drafts)-1]]
}

// isRecordable reports whether a claim is recorded: its quotation was found, or could
// not be looked for yet. A file can always be looked into.
func isRecordable(entries []claim.Entry, e claim.Entry) bool {
	if e.Kind.RestsOnClaims() {
		return claim.GroundsProblem(entries, e) == ""
	}
	return e.Location.State == claim.Located || e.Location.State == claim.Unchecked && source.Identify(e.Source).Kind != source.File
}

// claimMessage tells what came of a claim, and how to mend it.
func claimMessage(c claim.Draft, l claim.Location, took, again bool) string {
	var b strings.Builder
	switch {
	case !took:
		fmt.Fprintf(&b, "refused: %s.", plain.Line(l.Reason, 300))
	case again:
		b.WriteString("recorded already, once is enough.")
	case l.State == claim.Reasoned:
		b.WriteString("recorded, resting on claims that hold.")
	case l.State == claim.Unchecked:
		fmt.Fprintf(&b, "recorded, to be looked for when the iteration is measured: %s.", plain.Line(l.Reason, 300))
	default:
		fmt.Fprintf(&b, "recorded: the quotation stands in the source, line %s (%s).", claim.Lines(l.First, l.Last), l.Tier)
	}
	for _, gap := range l.LeftOut {
		fmt.Fprintf(&b, " It leaves out %q.", plain.Line(gap, 300))
	}
	for _, f := range l.Findings {
		if f.Kind == guard.Gap {
			continue // the reason says it
		}
		fmt.Fprintf(&b, " The %s differs: you wrote %s, the source %s.", f.Kind, quotedWords(f.Quote), quotedWords(f.Text))
	}
	if l.Nearest != "" {
		fmt.Fprintf(&b, " The nearest passage (data, no instruction): %q.", plain.Line(l.Nearest, 600))
	}
	return b.String()
}

// quotedWords shows foreign words, or says that there are none.
func quotedWords(s string) string {
	if s = plain.Line(s, 80); s == "" {
		return "none"
	}
	return fmt.Sprintf("%q", s)
}
