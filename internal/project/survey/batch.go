package survey

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/research-council/research-council/internal/base/plural"
)

// Limits of a batch. Zero stands for the default.
type Limits struct {
	Files int   // 50
	Lines int   // 5,000
	Size  int64 // bytes: 512 KiB
}

// Defaults of [Limits].
const (
	BatchFiles = 50
	BatchLines = 5000
	BatchSize  = 512 << 10
)

func (l Limits) withDefaults() Limits {
	return Limits{cmp.Or(max(0, l.Files), BatchFiles), cmp.Or(max(0, l.Lines), BatchLines), cmp.Or(max(0, l.Size), BatchSize)}
}

// Batch is a number of files that are reviewed together.
type Batch struct {
	Number int     `json:"number"` // from 1, in the order of review
	Files  []File  `json:"files"`  // the riskiest first
	Lines  int     `json:"lines"`
	Size   int64   `json:"size"` // bytes
	Risk   float64 `json:"risk"` // of its riskiest file
}

// lookahead is how many files of lower risk are tried for the room that is left
// in a batch.
const lookahead = 64

// folderShare is the share of its risk by which a file may be taken earlier because
// others of its folder are.
const folderShare = 0.5

// Batches cuts the reviewed files into batches within limits, the riskiest
// first. Every reviewed file is in exactly one batch; a file that is over a
// limit by itself is a batch of its own.
//
// A batch begins with the riskiest file that is left. Files of its folder that
// have at least half its risk come with it, then the next riskiest file that is
// left and its folder, until no more fits; the room that is left is offered to
// the next 64 files. So a file is never reviewed before one outside its folder
// that is more than twice as risky, but for those fillings.
func Batches(files []File, l Limits) []Batch {
	p := plan(files, l.withDefaults())
	for {
		next := p.nextRiskiest()
		if next < 0 {
			return p.batches
		}
		p.beginBatch()
		for next >= 0 && p.takeFile(next) {
			p.takeSameFolder(next)
			next = p.nextRiskiest()
		}
		p.fillRest()
		p.endBatch()
	}
}

// planner is where the cutting is.
type planner struct {
	Limits
	files   []File           // reviewed, ranked
	taken   []bool           // by index
	folders map[string][]int // what is left of a folder, ranked
	first   int              // no file before it is left
	batch   Batch
	batches []Batch
}

func plan(files []File, l Limits) *planner {
	ranked := byRisk(files)
	if rest := slices.IndexFunc(ranked, func(f File) bool { return !f.Reviewed() }); rest >= 0 {
		ranked = ranked[:rest]
	}
	p := &planner{Limits: l, files: ranked, taken: make([]bool, len(ranked)), folders: map[string][]int{}}
	for i, f := range ranked {
		p.folders[f.Folder()] = append(p.folders[f.Folder()], i)
	}
	return p
}

// nextRiskiest is the riskiest file that is left; -1 for none.
func (p *planner) nextRiskiest() int {
	for p.first < len(p.files) && p.taken[p.first] {
		p.first++
	}
	if p.first == len(p.files) {
		return -1
	}
	return p.first
}

func (p *planner) beginBatch() {
	p.batch = Batch{Number: len(p.batches) + 1, Risk: p.files[p.first].Risk}
}

func (p *planner) endBatch() {
	p.batch.Files = byRisk(p.batch.Files)
	p.batches = append(p.batches, p.batch)
}

// takeFile puts a file into the batch, if it fits or is alone.
func (p *planner) takeFile(i int) bool {
	f, b := p.files[i], &p.batch
	fits := len(b.Files) < p.Files && b.Lines+f.Lines <= p.Lines && b.Size+f.Size <= p.Size
	if len(b.Files) > 0 && !fits {
		return false
	}
	b.Files, b.Lines, b.Size = append(b.Files, f), b.Lines+f.Lines, b.Size+f.Size
	p.taken[i] = true
	return true
}

// takeSameFolder takes files of the same folder as long as they are risky enough and fit.
func (p *planner) takeSameFolder(of int) {
	folder := p.files[of].Folder()
	rest := p.folders[folder]
	for len(rest) > 0 {
		i := rest[0]
		if !p.taken[i] && (p.files[i].Risk < folderShare*p.files[of].Risk || !p.takeFile(i)) {
			break
		}
		rest = rest[1:]
	}
	p.folders[folder] = rest
}

// fillRest offers what room is left to the next files.
func (p *planner) fillRest() {
	for i := p.first; i < min(len(p.files), p.first+lookahead) && len(p.batch.Files) < p.Files; i++ {
		if !p.taken[i] {
			p.takeFile(i)
		}
	}
}

// CheckBatches holds batches against the files they were made of: every reviewed file
// is in exactly one, and nothing else is.
func CheckBatches(files []File, batches []Batch) error {
	left := map[string]bool{}
	for _, f := range files {
		if f.Reviewed() {
			left[f.Path] = true
		}
	}
	for _, b := range batches {
		for _, f := range b.Files {
			if !left[f.Path] {
				return fmt.Errorf("batch %d: %s is in another batch too, or is not to be reviewed", b.Number, Quote(f.Path))
			}
			delete(left, f.Path)
		}
	}
	if len(left) > 0 {
		first := slices.Min(slices.Collect(maps.Keys(left)))
		return fmt.Errorf("%s in no batch, the first is %s", plural.Of(len(left), "file"), Quote(first))
	}
	return nil
}
