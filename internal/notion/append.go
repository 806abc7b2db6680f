package notion

import (
	"context"
	"net/http"
)

// A piece is a block as it is sent, and those of its children that have to be
// sent by requests of their own.
type piece struct {
	now   Block
	later []Block
	bytes int // of what is sent now
	count int // of blocks in it
}

// cut makes a block a piece: whole where it can be sent whole, else without
// its children. A table cannot be without rows, so some go with it.
func (b Block) cut() piece {
	p := piece{now: b, bytes: size(b), count: 1 + Count(b.Children)}
	if b.nests(mostLevels) && p.bytes <= mostBytes && p.count <= mostElements {
		return p
	}
	keep := 0
	if b.Type == table {
		keep = len(b.rows())
	}
	p.now.Children, p.later = b.Children[:keep], b.Children[keep:]
	p.bytes, p.count = size(p.now), 1+keep
	return p
}

// rows are as many of a table's rows as go with it.
func (b Block) rows() []Block {
	bytes := 0
	for i, row := range b.Children {
		bytes += size(row)
		if i == mostChildren || i > 0 && bytes > mostBytes/2 {
			return b.Children[:i]
		}
	}
	return b.Children
}

// nests reports whether what is in a block has at most so many levels, and no
// list of children is too long.
func (b Block) nests(levels int) bool {
	if len(b.Children) > mostChildren || len(b.Children) > 0 && levels == 0 {
		return false
	}
	for _, child := range b.Children {
		if !child.nests(levels - 1) {
			return false
		}
	}
	return true
}

// size is the number of bytes a block takes in a request.
func size(b Block) int {
	data, err := encode(b.wire())
	if err != nil {
		return 0 // strings, numbers and lists of them are always written
	}
	return len(data)
}

// lots cuts blocks into what goes with one request each.
func lots(blocks []Block) [][]piece {
	var lots [][]piece
	var lot []piece
	bytes, count := 0, 0
	for _, b := range blocks {
		p := b.cut()
		if len(lot) == mostChildren || len(lot) > 0 && (bytes+p.bytes > mostBytes || count+p.count > mostElements) {
			lots, lot, bytes, count = append(lots, lot), nil, 0, 0
		}
		lot, bytes, count = append(lot, p), bytes+p.bytes, count+p.count
	}
	if len(lot) > 0 {
		lots = append(lots, lot)
	}
	return lots
}

// put appends blocks below a page or a block, behind the so many that stand
// there, and gives the ids of those it put there itself.
func (c *Client) put(ctx context.Context, parent string, blocks []Block, before int) ([]string, error) {
	var wrote []string
	for _, lot := range lots(blocks) {
		send := make([]Block, len(lot))
		for i, p := range lot {
			send[i] = p.now
		}
		ids, err := c.append(ctx, parent, send, before+len(wrote))
		if err != nil {
			return nil, err
		}
		wrote = append(wrote, ids...)
		for i, p := range lot {
			if _, err := c.put(ctx, ids[i], p.later, len(p.now.Children)); err != nil {
				return nil, err
			}
		}
	}
	return wrote, nil
}

// append appends one lot. What Notion will not have is mostly an address that
// it does not take for one, and it says of none which: the lot is halved until
// the block is found, and its links become text.
func (c *Client) append(ctx context.Context, parent string, lot []Block, before int) ([]string, error) {
	ids, err := c.send(ctx, parent, lot, before)
	if err == nil || !refused(err) || !linked(lot) {
		return ids, err
	}
	if len(lot) == 1 {
		return c.send(ctx, parent, unlinked(lot), before)
	}
	half := len(lot) / 2
	first, err := c.append(ctx, parent, lot[:half], before)
	if err != nil {
		return nil, err
	}
	second, err := c.append(ctx, parent, lot[half:], before+half)
	return append(first, second...), err
}

// send sends one lot. Where the answer is lost it looks what stands there: the
// lot, nothing of it, or what it cannot explain.
func (c *Client) send(ctx context.Context, parent string, lot []Block, before int) ([]string, error) {
	r := request{method: http.MethodPatch, path: "blocks/" + parent + "/children", body: map[string]any{"children": wires(lot)}}
	pauses := c.pauses()
	for try := 1; ; try++ {
		var made listing
		err := c.call(ctx, r, &made)
		if err == nil {
			ids, ok := proper(made.Results)
			if ok && len(ids) == len(lot) {
				return ids, nil
			}
			err = errStrange
		}
		if !unsure(err) || try == mostTries {
			return nil, err
		}
		if err := sleep(ctx, pauses.NextBackOff()); err != nil {
			return nil, err
		}
		there, err := c.below(ctx, parent)
		switch {
		case err != nil:
			return nil, err
		case len(there) == before+len(lot):
			return ids(there[before:]), nil
		case len(there) != before:
			return nil, errAstray
		}
	}
}

// proper gives the ids of what was made, if they are some.
func proper(list []item) (ids []string, ok bool) {
	for _, i := range list {
		id, ok := identify(i.ID)
		if !ok {
			return nil, false
		}
		ids = append(ids, id)
	}
	return ids, true
}

func linked(blocks []Block) bool {
	for _, b := range blocks {
		for _, runs := range b.texts() {
			for _, r := range runs {
				if r.Link != "" {
					return true
				}
			}
		}
		if linked(b.Children) {
			return true
		}
	}
	return false
}

// texts are a block's lists of stretches.
func (b Block) texts() [][]Text { return append([][]Text{b.Text}, b.Cells...) }

// unlinked are blocks with their links as the text they stand under.
func unlinked(blocks []Block) []Block {
	out := make([]Block, len(blocks))
	for i, b := range blocks {
		b.Text, b.Children = bare(b.Text), unlinked(b.Children)
		cells := make([][]Text, len(b.Cells))
		for n, cell := range b.Cells {
			cells[n] = bare(cell)
		}
		b.Cells = cells
		out[i] = b
	}
	return out
}

func bare(runs []Text) []Text {
	out := make([]Text, len(runs))
	for i, r := range runs {
		r.Link = ""
		out[i] = r
	}
	return out
}
