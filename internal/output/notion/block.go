package notion

import (
	"unicode/utf16"
	"unicode/utf8"
)

// Limits of Notion's on what is sent, from its documentation of request
// limits and of appending blocks.
const (
	maxChildren = 100  // blocks in one list of children
	maxLevels   = 2    // of blocks in the blocks of a request
	maxElements = 1000 // blocks in a request, nested ones included
	maxRuns     = 100  // stretches of text in one block, or one cell
	maxUnits    = 2000 // UTF-16 units of one stretch
	maxLink     = 2000 // characters of an address
)

// Ours, below Notion's 500 KB for a request.
const (
	maxBytes  = 400_000 // of a request
	textBytes = 60_000  // of the text of one block
	runBytes  = 200     // that a stretch takes beside its text and address
)

// Types of blocks that are made here.
const (
	paragraph = "paragraph"
	quotation = "quote"
	bullet    = "bulleted_list_item"
	number    = "numbered_list_item"
	task      = "to_do"
	code      = "code"
	divider   = "divider"
	table     = "table"
	tableRow  = "table_row"
)

// Block is a block of a page, its texts within Notion's limits.
type Block struct {
	Type     string   // Notion's name of it
	Text     []Text   // of all but divider, table and table_row
	Language string   // of code, one of Notion's
	Checked  bool     // of to_do
	Width    int      // of table: columns; its first row is a header
	Cells    [][]Text // of table_row
	Children []Block  // any number, to any depth; a table has at least one row
}

// Text is a stretch of text in one style.
type Text struct {
	Content                    string // at most 2000 UTF-16 units
	Link                       string // an http or https address, or ""
	Bold, Italic, Strike, Code bool
}

// Count is the number of blocks, nested ones and rows of tables included: what
// [Client.Count] gives for a page that holds them.
func Count(blocks []Block) int {
	n := len(blocks)
	for _, b := range blocks {
		n += Count(b.Children)
	}
	return n
}

// toAPI is a block as the API has it.
func (b Block) toAPI() map[string]any {
	body := map[string]any{}
	switch b.Type {
	case divider:
	case table:
		body["table_width"], body["has_column_header"], body["has_row_header"] = b.Width, true, false
	case tableRow:
		cells := make([][]map[string]any, len(b.Cells))
		for i, cell := range b.Cells {
			cells[i] = textsToAPI(cell)
		}
		body["cells"] = cells
	case code:
		body["rich_text"], body["language"] = textsToAPI(b.Text), b.Language
	case task:
		body["rich_text"], body["checked"] = textsToAPI(b.Text), b.Checked
	default:
		body["rich_text"] = textsToAPI(b.Text)
	}
	if len(b.Children) > 0 {
		body["children"] = blocksToAPI(b.Children)
	}
	return map[string]any{"object": "block", "type": b.Type, b.Type: body}
}

func blocksToAPI(blocks []Block) []map[string]any {
	list := make([]map[string]any, len(blocks))
	for i, b := range blocks {
		list[i] = b.toAPI()
	}
	return list
}

func textsToAPI(runs []Text) []map[string]any {
	list := make([]map[string]any, len(runs))
	for i, r := range runs {
		list[i] = r.toAPI()
	}
	return list
}

func (r Text) toAPI() map[string]any {
	text := map[string]any{"content": r.Content}
	if r.Link != "" {
		text["link"] = map[string]string{"url": r.Link}
	}
	list := map[string]any{"type": "text", "text": text}
	if r.Bold || r.Italic || r.Strike || r.Code {
		list["annotations"] = map[string]bool{"bold": r.Bold, "italic": r.Italic, "strikethrough": r.Strike, "code": r.Code}
	}
	return list
}

// hasSameStyle reports whether two stretches differ in their words alone.
func (r Text) hasSameStyle(other Text) bool {
	r.Content, other.Content = "", ""
	return r == other
}

// size is about how many bytes a stretch takes in a request, rather more.
func (r Text) size() int { return runBytes + 2*len(r.Content) + len(r.Link) }

// splitToFit cuts stretches into lists that a block holds each, of at most the given
// size. Nothing is lost, and no list is empty.
func splitToFit(runs []Text, most int) [][]Text {
	var lists [][]Text
	var list []Text
	size := 0
	for _, run := range runs {
		for _, r := range run.splitLong() {
			if len(list) == maxRuns || len(list) > 0 && size+r.size() > most {
				lists, list, size = append(lists, list), nil, 0
			}
			list, size = append(list, r), size+r.size()
		}
	}
	if len(list) > 0 {
		lists = append(lists, list)
	}
	return lists
}

// splitLong cuts a stretch into some that are short enough, between characters.
func (r Text) splitLong() []Text {
	var list []Text
	for r.Content != "" {
		n := prefix(r.Content, maxUnits)
		head := r
		head.Content, r.Content = r.Content[:n], r.Content[n:]
		list = append(list, head)
	}
	return list
}

// prefix is the number of bytes at the beginning of a text that have at most
// so many UTF-16 units.
func prefix(s string, units int) int {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if units -= max(utf16.RuneLen(r), 1); units < 0 {
			return i
		}
		i += size
	}
	return len(s)
}
