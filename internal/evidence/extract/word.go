package extract

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
)

// The files of a DOCX that are read (ECMA-376, part 1, 11.3).
const (
	wordMain  = "word/document.xml"
	wordNotes = "word/footnotes.xml"
	wordEnds  = "word/endnotes.xml"
	wordCore  = "docProps/core.xml"
)

// readWord reads a DOCX: its paragraphs and tables, then its notes. What was deleted,
// moved away or hidden is not shown to a reader and not read; headers and footers are
// on every page and of none.
func (d *Document) readWord(files *packedFiles) error {
	d.Extractor = "docx/" + Version
	if data, err := files.read(wordCore); err == nil {
		var m meta
		m.dublinCore(data)
		d.Title, d.Authors, d.Published = m.title, m.authors, m.published
	}
	var w wordReader
	data, err := files.read(wordMain)
	if err != nil {
		return err
	}
	damage := w.read(data)
	for _, name := range []string{wordNotes, wordEnds} {
		if data, err := files.read(name); err == nil {
			damage = errors.Join(damage, w.read(data))
		}
	}
	if len(w.lines) == 0 && damage != nil {
		return damage
	}
	d.setText([]string{NormaliseText(strings.Join(w.lines, "\n"))}, nil)
	switch {
	case damage != nil:
		d.addWarning(Damaged, Line(damage.Error()))
	case w.full():
		d.addWarning(Truncated, "there is more text in it than is read")
	}
	return nil
}

// wordReader writes the lines of a document.
type wordReader struct {
	lines  []string
	size   int
	open   []*strings.Builder // the paragraphs that are open, the innermost last
	rows   []*wordRow         // the rows of tables, likewise
	hidden bool               // the run is
}

// wordRow is a row of a table: its cells, with a line for each paragraph.
type wordRow struct{ cells [][]string }

// maxRowLine is how many bytes of a row stay on one line.
const maxRowLine = 2000

func (w *wordReader) full() bool { return w.size >= maxPackedText }

// read reads one of the document's files.
func (w *wordReader) read(data []byte) error {
	in := decoder(data)
	for !w.full() {
		t, err := in.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			for len(w.open) > 0 {
				w.endParagraph()
			}
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			if err := w.start(in, t); err != nil {
				return err
			}
		case xml.EndElement:
			w.end(t.Name.Local)
		}
	}
	return nil
}

// unseenElements are those whose content a reader does not see: what was deleted or
// moved away, and what stands there for programs that do not know its other form.
var unseenElements = []string{"del", "moveFrom", "Fallback", "delText", "instrText", "sectPr", "pPrChange", "rPrChange"}

func (w *wordReader) start(in *xml.Decoder, t xml.StartElement) error {
	if slices.Contains(unseenElements, t.Name.Local) {
		return in.Skip()
	}
	switch t.Name.Local {
	case "p":
		w.open = append(w.open, &strings.Builder{})
	case "r":
		w.hidden = false
	case "vanish":
		w.hidden = !isOff(t)
	case "numPr":
		w.write("- ")
	case "t":
		return w.text(in, t)
	case "tab", "ptab":
		if len(t.Attr) == 0 || t.Name.Local == "ptab" { // else it is a place where one may stop
			w.write("\t")
		}
	case "br", "cr":
		w.write("\n")
	case "noBreakHyphen":
		w.write("-")
	case "tr":
		w.rows = append(w.rows, &wordRow{})
	case "tc":
		if n := len(w.rows); n > 0 {
			w.rows[n-1].cells = append(w.rows[n-1].cells, nil)
		}
	}
	return nil
}

// isOff reports whether a property is there to say that it does not hold.
func isOff(t xml.StartElement) bool {
	return slices.ContainsFunc(t.Attr, func(a xml.Attr) bool {
		return a.Name.Local == "val" && slices.Contains([]string{"0", "false", "off"}, a.Value)
	})
}

func (w *wordReader) text(in *xml.Decoder, t xml.StartElement) error {
	var text string
	if err := in.DecodeElement(&text, &t); err != nil {
		return err
	}
	if !w.hidden {
		w.write(text)
	}
	return nil
}

func (w *wordReader) write(text string) {
	if n := len(w.open); n > 0 && !w.full() {
		w.open[n-1].WriteString(text)
		w.size += len(text)
	}
}

func (w *wordReader) end(name string) {
	switch name {
	case "p":
		w.endParagraph()
	case "tr":
		w.endRow()
	}
}

func (w *wordReader) endParagraph() {
	n := len(w.open)
	if n == 0 {
		return
	}
	text := strings.TrimSpace(w.open[n-1].String())
	w.open = w.open[:n-1]
	if strings.Trim(text, "- \t\n") != "" {
		w.add(text)
	}
}

// add adds a line, to the cell that is open or to the text.
func (w *wordReader) add(text string) {
	if n := len(w.rows); n > 0 {
		if row := w.rows[n-1]; len(row.cells) > 0 {
			last := len(row.cells) - 1
			row.cells[last] = append(row.cells[last], text)
			return
		}
	}
	w.lines = append(w.lines, text)
}

// endRow puts the cells of a row on one line, where they are short, as values are.
func (w *wordReader) endRow() {
	n := len(w.rows)
	if n == 0 {
		return
	}
	row := w.rows[n-1]
	w.rows = w.rows[:n-1]
	var cells []string
	size := 0
	for _, c := range row.cells {
		one := strings.Join(strings.Fields(strings.Join(c, " ")), " ")
		cells = append(cells, one)
		size += len(one)
	}
	if size <= maxRowLine {
		if line := strings.Join(cells, " | "); strings.Trim(line, "| ") != "" {
			w.add(line)
		}
		return
	}
	for _, c := range row.cells {
		for _, line := range c {
			w.add(line)
		}
	}
}
