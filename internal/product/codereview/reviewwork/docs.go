package reviewwork

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/product/codereview/finding"
	"github.com/research-council/research-council/internal/product/codereview/handbook"
	"github.com/research-council/research-council/internal/project/survey"
)

// AgentDoc is what became of a document for agents.
type AgentDoc struct {
	Path   string `json:"path"` // relative to the repository, as package survey quotes it
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
}

// States of a document.
const (
	DocWritten   = "written"   // new, or changed
	DocSame      = "unchanged" // it was up to date
	DocShown     = "preview"   // only shown, below the review's folder
	DocLeftAlone = "left"      // it could not be written, or is not ours to write
)

// maxDocBytes bounds a document that is taken over, in bytes.
const maxDocBytes = 1 << 20

// docProposal is a document as it is to be.
type docProposal struct {
	name    string
	text    []byte
	changed bool
	left    string // why it is left alone
}

// writeDocs writes the documents for agents, or shows them. Where nothing was
// reviewed, or no reviewer has left anything, there is none. What is to change
// is on record before anything is written, so that a review taken up again
// still tells what it has changed.
func (s *reporter) writeDocs(r flow.Run) error {
	if codereview.Of(r.Setup.Own).Docs == codereview.DocsOff || !codereview.Left(r) {
		return nil
	}
	found, err := s.loadSurvey()
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(s.codeRoot())
	if err != nil {
		return fmt.Errorf("write documents: %w", err)
	}
	defer root.Close()
	var all []docProposal
	remarks := s.locatedNotes()
	for _, folder := range documentedFolders(found) {
		if d := handbook.NewDocument(folder, remarks); !d.IsEmpty() {
			all = append(all, proposeDocs(root, d)...)
		}
	}
	before := s.docs()
	write := func(p docProposal) error { return replaceDoc(root, p.name, p.text) }
	if codereview.Of(r.Setup.Own).Docs == codereview.DocsPreview {
		write = s.writePreview
	}
	list := docOutcomes(all, codereview.Of(r.Setup.Own).Docs, before)
	if err := s.WriteJSON(map[string]any{codereview.DocsFile: list}); err != nil {
		return err
	}
	for i, p := range all {
		if !p.changed || p.left != "" {
			continue
		}
		if err := write(p); err != nil {
			list[i].State, list[i].Reason = DocLeftAlone, err.Error()
		}
	}
	return s.WriteJSON(map[string]any{codereview.DocsFile: list})
}

// docOutcomes says what becomes of each document.
func docOutcomes(all []docProposal, mode string, before []AgentDoc) []AgentDoc {
	list := make([]AgentDoc, len(all))
	for i, p := range all {
		d := AgentDoc{Path: survey.Quote(p.name), State: DocSame, Reason: p.left}
		was := slices.ContainsFunc(before, func(b AgentDoc) bool { return b.Path == d.Path && b.State == DocWritten })
		switch {
		case p.left != "":
			d.State = DocLeftAlone
		case p.changed && mode == codereview.DocsPreview:
			d.State = DocShown
		case p.changed || was:
			d.State = DocWritten
		}
		list[i] = d
	}
	return list
}

// documentedFolders are the folders that get a document, the top at the end: all
// significant ones, or where only a part was reviewed those that it touches.
func documentedFolders(found CodeSurvey) []survey.Folder {
	folders, _ := survey.Significant(found.AllFiles())
	if found.Whole != nil {
		touched := map[string]bool{".": true}
		for _, f := range found.Map.Files {
			touched[f.Folder()] = touched[f.Folder()] || f.Reviewed()
		}
		folders = slices.DeleteFunc(folders, func(d survey.Folder) bool { return !touched[d.Path] })
	}
	slices.SortStableFunc(folders, func(a, b survey.Folder) int { return strings.Compare(rootLast(a.Path), rootLast(b.Path)) })
	return folders
}

// rootLast sorts the top behind everything.
func rootLast(folder string) string {
	if folder == "." {
		return "\xff"
	}
	return folder
}

// locatedNotes are what the annotator has said of code that stands where it says.
func (s *reporter) locatedNotes() []handbook.Note {
	data, err := s.Folder.Read(codereview.NotesFile)
	if err != nil {
		return nil
	}
	notes, _ := handbook.DecodeNotes(bytes.NewReader(data))
	var located []handbook.Note
	for _, n := range notes {
		if n.Place() == "" || n.Folder != "" && n.Folder != "." && !strings.HasPrefix(n.At, n.Folder+"/") {
			continue
		}
		f := s.locateFindings([]finding.Finding{{File: n.At, Line: n.Line, Code: n.Code}})[0]
		if f.IsLocated() {
			n.Line = f.Line
			located = append(located, n)
		}
	}
	common, err := s.countSharedLines(located)
	if err != nil {
		s.Log("no line is taken for one of many files: " + err.Error())
	}
	sound, left := handbook.ValidNotes(located, func(line string) bool { return common[line] > maxSharedFiles })
	for _, why := range left[:min(len(left), mostMended)] {
		s.Log("left out of the documents: " + plain.Line(why, supervisor.MaxForeignRunes))
	}
	return sound
}

// maxSharedFiles is how many files may hold a line that still shows something of
// one of them.
const maxSharedFiles = 3

// countSharedLines counts, for the lines that notes quote, the files that hold them.
func (s *reporter) countSharedLines(notes []handbook.Note) (map[string]int, error) {
	found, err := s.loadSurvey()
	if err != nil {
		return nil, err
	}
	count := map[string]int{}
	for _, n := range notes {
		for _, line := range handbook.InformativeLines(n.Code) {
			count[line] = 0
		}
	}
	if len(count) == 0 {
		return nil, nil
	}
	for _, f := range found.AllFiles() {
		if !f.Reviewed() {
			continue
		}
		text, err := s.code(f.Path)
		if err != nil {
			continue // it is gone
		}
		here := map[string]bool{}
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if _, asked := count[line]; asked && !here[line] {
				here[line] = true
				count[line]++
			}
		}
	}
	return count, nil
}

// proposeDocs are a folder's documents. A CLAUDE.md is not made beside one that
// the host reads from .claude.
func proposeDocs(root *os.Root, d handbook.Document) []docProposal {
	name := path.Join(d.Folder, handbook.Name)
	p := docProposal{name: name}
	if text, why := existing(root, name); why != "" {
		p.left = why
	} else {
		p.text, p.changed = handbook.Merge(text, d)
	}
	name = path.Join(d.Folder, handbook.CompanionName)
	c := docProposal{name: name}
	text, why := existing(root, name)
	switch _, err := root.Lstat(filepath.FromSlash(path.Join(d.Folder, ".claude", handbook.CompanionName))); {
	case why != "":
		c.left = why
	case text == nil && err == nil:
		c.left = "there is one in .claude"
	case p.left != "":
		c.left = "there is no " + handbook.Name + " of ours to point to"
	default:
		c.text, c.changed = handbook.PointToAgents(text)
	}
	return []docProposal{p, c}
}

// existing is the text of a document; nil where there is none. why says why it
// is left alone.
func existing(root *os.Root, name string) (text []byte, why string) {
	info, err := root.Lstat(filepath.FromSlash(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ""
	case err != nil:
		return nil, "it cannot be looked at"
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, "it is a symbolic link"
	case !info.Mode().IsRegular():
		return nil, "it is no file"
	case info.Size() > maxDocBytes:
		return nil, "it is too large"
	}
	file, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, "it cannot be read"
	}
	defer file.Close()
	if text, err = io.ReadAll(io.LimitReader(file, maxDocBytes)); err != nil {
		return nil, "it cannot be read"
	}
	return append([]byte{}, text...), ""
}

// replaceDoc writes a document whole or not at all, with the rights it has.
func replaceDoc(root *os.Root, name string, text []byte) error {
	mode := fs.FileMode(0o644)
	name = filepath.FromSlash(name)
	if info, err := root.Lstat(name); err == nil {
		mode = info.Mode().Perm()
	}
	if err := workspace.Replace(root, name, text, mode); err != nil {
		return fmt.Errorf("write a document: %w", err)
	}
	return nil
}

// writePreview shows a document below the review's folder.
func (s *reporter) writePreview(p docProposal) error {
	return WithReviewFolder(s.Project, func(f *workspace.Folder) error { return writeIfChanged(f, path.Join(previewFolder, p.name), p.text) })
}

// docs is what was on record of the documents.
func (s *reporter) docs() []AgentDoc {
	var list []AgentDoc
	if data, err := s.Folder.Read(codereview.DocsFile); err == nil && json.Unmarshal(data, &list) != nil {
		return nil
	}
	return list
}

// docsPage lists the documents in the report.
func (s *reporter) docsPage(r flow.Run) []byte {
	list := s.docs()
	if len(list) == 0 {
		return nil
	}
	var b bytes.Buffer
	b.WriteString("\n## Documents\n\n")
	same := 0
	for _, d := range list {
		if d.State == DocSame {
			same++
			continue
		}
		name, err := survey.Unquote(d.Path)
		if err != nil {
			continue
		}
		fmt.Fprintf(&b, "- %s: %s\n", survey.Code(name), strings.TrimSuffix(d.State+", "+survey.Plain(d.Reason), ", "))
	}
	fmt.Fprintf(&b, "\nUp to date already: %d.", same)
	if codereview.Of(r.Setup.Own).Docs == codereview.DocsPreview {
		fmt.Fprintf(&b, " Nothing was written into the repository: the proposals lie in `%s/%s`.", ReviewFolder, previewFolder)
	}
	b.WriteByte('\n')
	return b.Bytes()
}
