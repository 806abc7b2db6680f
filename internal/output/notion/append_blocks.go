package notion

import (
	"context"
	"net/http"
)

// A requestBlock is a block as it is sent, and those of its children that have to be
// sent by requests of their own.
type requestBlock struct {
	now   Block
	later []Block
	bytes int // of what is sent now
	count int // of blocks in it
}

// toRequest makes a block a piece: whole where it can be sent whole, else without
// its children. A table cannot be without rows, so some go with it.
func (b Block) toRequest() requestBlock {
	p := requestBlock{now: b, bytes: size(b), count: 1 + Count(b.Children)}
	if b.fitsLevels(maxLevels) && p.bytes <= maxBytes && p.count <= maxElements {
		return p
	}
	keep := 0
	if b.Type == table {
		keep = len(b.firstRows())
	}
	p.now.Children, p.later = b.Children[:keep], b.Children[keep:]
	p.bytes, p.count = size(p.now), 1+keep
	return p
}

// firstRows are as many of a table's rows as go with it.
func (b Block) firstRows() []Block {
	bytes := 0
	for i, row := range b.Children {
		bytes += size(row)
		if i == maxChildren || i > 0 && bytes > maxBytes/2 {
			return b.Children[:i]
		}
	}
	return b.Children
}

// fitsLevels reports whether what is in a block has at most so many levels, and no
// list of children is too long.
func (b Block) fitsLevels(levels int) bool {
	if len(b.Children) > maxChildren || len(b.Children) > 0 && levels == 0 {
		return false
	}
	for _, child := range b.Children {
		if !child.fitsLevels(levels - 1) {
			return false
		}
	}
	return true
}

// size is the number of bytes a block takes in a request.
func size(b Block) int {
	data, err := encode(b.toAPI())
	if err != nil {
		return 0 // strings, numbers and lists of them are always written
	}
	return len(data)
}

// requestBatches cuts blocks into what goes with one request each.
func requestBatches(blocks []Block) [][]requestBlock {
	var lots [][]requestBlock
	var lot []requestBlock
	bytes, count := 0, 0
	for _, b := range blocks {
		p := b.toRequest()
		if len(lot) == maxChildren || len(lot) > 0 && (bytes+p.bytes > maxBytes || count+p.count > maxElements) {
			lots, lot, bytes, count = append(lots, lot), nil, 0, 0
		}
		lot, bytes, count = append(lot, p), bytes+p.bytes, count+p.count
	}
	if len(lot) > 0 {
		lots = append(lots, lot)
	}
	return lots
}

// appendTree appends blocks below a page or a block, behind the so many that stand
// there, and gives the ids of those it put there itself.
func (c *Client) appendTree(ctx context.Context, parent string, blocks []Block, before int) ([]string, error) {
	var wrote []string
	for _, lot := range requestBatches(blocks) {
		send := make([]Block, len(lot))
		for i, p := range lot {
			send[i] = p.now
		}
		ids, err := c.appendBatch(ctx, parent, send, before+len(wrote))
		if err != nil {
			return nil, err
		}
		wrote = append(wrote, ids...)
		for i, p := range lot {
			if _, err := c.appendTree(ctx, ids[i], p.later, len(p.now.Children)); err != nil {
				return nil, err
			}
		}
	}
	return wrote, nil
}

// appendBatch appends one lot. What Notion will not have is mostly an address that
// it does not take for one, and it says of none which: the lot is halved until
// the block is found, and its links become text.
func (c *Client) appendBatch(ctx context.Context, parent string, lot []Block, before int) ([]string, error) {
	ids, err := c.sendBatch(ctx, parent, lot, before)
	if err == nil || !isRefused(err) || !hasLinks(lot) {
		return ids, err
	}
	if len(lot) == 1 {
		return c.sendBatch(ctx, parent, withoutLinks(lot), before)
	}
	half := len(lot) / 2
	first, err := c.appendBatch(ctx, parent, lot[:half], before)
	if err != nil {
		return nil, err
	}
	second, err := c.appendBatch(ctx, parent, lot[half:], before+half)
	return append(first, second...), err
}

// sendBatch sends one lot. Where the answer is lost it looks what stands there: the
// lot, nothing of it, or what it cannot explain.
func (c *Client) sendBatch(ctx context.Context, parent string, lot []Block, before int) ([]string, error) {
	r := request{method: http.MethodPatch, path: "blocks/" + parent + "/children", body: map[string]any{"children": blocksToAPI(lot)}}
	pauses := c.newBackOff()
	for try := 1; ; try++ {
		var made listAnswer
		err := c.call(ctx, r, &made)
		if err == nil {
			ids, ok := createdIDs(made.Results)
			if ok && len(ids) == len(lot) {
				return ids, nil
			}
			err = errUnexpected
		}
		if !mayHaveSucceeded(err) || try == maxTries {
			return nil, err
		}
		if err := sleep(ctx, pauses.NextBackOff()); err != nil {
			return nil, err
		}
		there, err := c.contentBelow(ctx, parent)
		switch {
		case err != nil:
			return nil, err
		case len(there) == before+len(lot):
			return ids(there[before:]), nil
		case len(there) != before:
			return nil, errWrongContent
		}
	}
}

// createdIDs gives the ids of what was made, if they are some.
func createdIDs(list []item) (ids []string, ok bool) {
	for _, i := range list {
		id, ok := parseID(i.ID)
		if !ok {
			return nil, false
		}
		ids = append(ids, id)
	}
	return ids, true
}

func hasLinks(blocks []Block) bool {
	for _, b := range blocks {
		for _, runs := range b.allTexts() {
			for _, r := range runs {
				if r.Link != "" {
					return true
				}
			}
		}
		if hasLinks(b.Children) {
			return true
		}
	}
	return false
}

// allTexts are a block's lists of stretches.
func (b Block) allTexts() [][]Text { return append([][]Text{b.Text}, b.Cells...) }

// withoutLinks are blocks with their links as the text they stand under.
func withoutLinks(blocks []Block) []Block {
	out := make([]Block, len(blocks))
	for i, b := range blocks {
		b.Text, b.Children = textsWithoutLinks(b.Text), withoutLinks(b.Children)
		cells := make([][]Text, len(b.Cells))
		for n, cell := range b.Cells {
			cells[n] = textsWithoutLinks(cell)
		}
		b.Cells = cells
		out[i] = b
	}
	return out
}

func textsWithoutLinks(runs []Text) []Text {
	out := make([]Text, len(runs))
	for i, r := range runs {
		r.Link = ""
		out[i] = r
	}
	return out
}
