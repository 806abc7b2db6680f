package records

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"
)

// Request is what is to be recorded, as it was typed.
type Request struct {
	Claims    string   // a file of claims; "-" is standard input, here and below
	Questions []string // that are open
	Answered  string   // a question, as it was asked
	By        []string // ids of the claims that answer it
	Section   string   // of the report or the plan, as "report/background"
	File      string   // that holds the section
	Features  string   // a file with the list of features
}

// Result is what was recorded.
type Result struct {
	Claims []ClaimResult `json:"claims,omitempty"`
	Wrote  []string      `json:"recorded"`        // in words
	Notes  []string      `json:"notes,omitempty"` // what to look at again
}

// ClaimResult is what came of one claim.
type ClaimResult struct {
	Text     string      `json:"text"`
	Recorded bool        `json:"recorded"`
	State    claim.State `json:"state"`
	Says     string      `json:"says"`
	Nearest  string      `json:"nearest,omitempty"` // the source's nearest passage to a quotation that is not there
}

// recording collects what is to be written once everything has been checked.
type recording struct {
	*Store
	Request
	out    Result
	writes []func() error
}

// Record records what is asked for, all of it or, where something is wrong with
// it, nothing. Claims that are refused are no error here: [Result.Refused]
// tells of them.
func (s *Store) Record(w Request) (Result, error) {
	d := recording{Store: s, Request: w, out: Result{Wrote: []string{}}}
	for _, check := range []func() error{d.queueQuestions, d.queueAnswer, d.queueSection, d.queueFeatureList, d.queueClaims} {
		if err := check(); err != nil {
			return Result{}, err
		}
	}
	for _, write := range d.writes {
		if err := write(); err != nil {
			return Result{}, err
		}
	}
	return d.out, nil
}

// Lines tell what was recorded, for people.
func (k Result) Lines() []string {
	var lines []string
	for _, c := range k.Claims {
		lines = append(lines, fmt.Sprintf("%s: %s", plain.Line(c.Text, 80), c.Says))
	}
	lines = append(lines, k.Wrote...)
	for _, n := range k.Notes {
		lines = append(lines, "Note: "+n)
	}
	return lines
}

// Refused says that claims were refused, or nil.
func (k Result) Refused() error {
	refused := 0
	for _, c := range k.Claims {
		if !c.Recorded {
			refused++
		}
	}
	if refused == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d claims were refused and not recorded; mend their quotations and record those again", refused, len(k.Claims))
}

func (d *recording) queueQuestions() error {
	for _, q := range d.Questions {
		line := jsonLine(map[string]string{"question": q})
		list, refused := campaign.DecodeQuestions(bytes.NewReader(line))
		if len(refused) > 0 {
			return usage.Errorf("--question %.80q: %s", q, refused[0].Reason)
		}
		if d.wasAsked(list[0].Text) {
			d.out.Wrote = append(d.out.Wrote, "Asked already: "+list[0].Text)
			continue
		}
		d.queueWrite(func() error { return d.append(campaign.QuestionsFile, line, maxRecordBytes) }, "Open question: "+list[0].Text)
	}
	return nil
}

func (d *recording) queueWrite(write func() error, says string) {
	d.writes = append(d.writes, write)
	d.out.Wrote = append(d.out.Wrote, says)
}

func (d *recording) queueAnswer() error {
	if d.Answered == "" && len(d.By) == 0 {
		return nil
	}
	line := jsonLine(map[string]any{"question": d.Answered, "answered": d.By})
	list, refused := campaign.DecodeQuestions(bytes.NewReader(line))
	if len(refused) > 0 {
		return usage.Errorf("--answered: %s", refused[0].Reason)
	}
	if len(list[0].Answered) == 0 {
		return usage.Errorf("--by names no claim")
	}
	if unknown := d.unknownIDs(d.By); len(unknown) > 0 {
		return usage.Errorf("--by: no claim of the registry has the id %s", strings.Join(unknown, ", "))
	}
	if !d.wasAsked(list[0].Text) {
		d.out.Notes = append(d.out.Notes, "nobody has asked this question in these words")
	}
	d.queueWrite(func() error { return d.append(campaign.QuestionsFile, line, maxRecordBytes) }, "Answered: "+list[0].Text)
	return nil
}

// wasAsked reports whether any worker has asked a question before.
func (d *recording) wasAsked(text string) bool {
	list, _ := campaign.DecodeQuestions(bytes.NewReader(d.readAllSeats(campaign.QuestionsFile)))
	return slices.ContainsFunc(list, func(q campaign.Question) bool { return strings.EqualFold(q.Text, text) })
}

// readAllSeats is a file of records of all workers, one behind the other.
func (s *Store) readAllSeats(name string) []byte {
	seats, err := s.folder.Names(workspace.Seats)
	if err != nil {
		return nil
	}
	var all bytes.Buffer
	for _, seat := range seats {
		if data, err := s.folder.Read(workspace.Seats + "/" + seat + "/" + name); err == nil {
			all.Write(data)
			all.WriteByte('\n')
		}
	}
	return all.Bytes()
}

func (d *recording) queueSection() error {
	if d.Section == "" {
		return nil
	}
	kind, name, _ := strings.Cut(d.Section, "/")
	key, err := campaign.SectionKey(kind, name)
	if err != nil {
		return usage.Errorf("--section %.80q: %w", d.Section, err)
	}
	text, err := d.readInput("file", d.File, MaxTextBytes)
	if err != nil {
		return err
	}
	d.out.Notes = append(d.out.Notes, d.sectionNotes(text)...)
	to := campaign.SectionsDir + "/" + kind + "/" + key + ".md"
	d.queueWrite(func() error { return d.write(to, text) }, "Section "+kind+"/"+key)
	return nil
}

// sectionNotes are what is odd about a section: claims nobody made, addresses.
func (d *recording) sectionNotes(text []byte) []string {
	var ids, notes []string
	known := d.registeredIDs()
	for _, m := range regexp.MustCompile(`\[(C[1-9]\d{0,8})\]`).FindAllSubmatch(text, -1) {
		if id := string(m[1]); !known[id] && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) > 0 {
		notes = append(notes, "no claim of the registry has the id "+strings.Join(ids[:min(len(ids), 10)], ", "))
	}
	if at := regexp.MustCompile(`https?://`).FindIndex(text); at != nil {
		notes = append(notes, fmt.Sprintf("line %d holds an address; what is cited by its claim's id, as [C12], gets its source by itself", 1+bytes.Count(text[:at[0]], []byte("\n"))))
	}
	return notes
}

func (d *recording) queueFeatureList() error {
	if d.Features == "" {
		return nil
	}
	data, err := d.readInput("feature-list", d.Features, 64<<20)
	if err != nil {
		return err
	}
	list, err := feature.Propose(data)
	if err != nil {
		return usage.Errorf("--feature-list: %w", err)
	}
	d.queueWrite(func() error { return d.write(campaign.Features, list.Encode()) }, fmt.Sprintf("Feature list: %d features", len(list.Features)))
	return nil
}
