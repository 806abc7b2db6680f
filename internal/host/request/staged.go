package request

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/research-council/research-council/internal/product/staged"
)

// Staged is what only staged research is asked for.
type Staged struct {
	Collectors int  // agents of the collection, at most; 0 when not asked for
	Revisions  *int // times reviewers may send the work back; nil when not asked for
}

// StagedFlags are those of the slash command of staged research and of the
// command line, in the order they are shown.
func StagedFlags() []Flag {
	list := []Flag{
		{"collectors", "N", fmt.Sprintf("agents that collect facts at once, 1 to %d", staged.Agents), func(r *Request, v string) error {
			n, err := strconv.Atoi(v)
			if err != nil || n < 1 || n > staged.Agents {
				return fmt.Errorf("use a whole number from 1 to %d", staged.Agents)
			}
			r.Collectors = n
			return nil
		}},
		{"revisions", "N", "times reviewers may send the work back, 0 to 10", func(r *Request, v string) error {
			n, err := strconv.Atoi(v)
			if err != nil || n < 0 || n > 10 {
				return errors.New("use a whole number from 0 to 10")
			}
			r.Revisions = &n
			return nil
		}},
	}
	shared := []string{"test", "seats", "tier", "reviewers", "max-iterations", "max-minutes", "max-usd", "scope", "library", "web", "output", "force", "dry-run", "skip-permissions"}
	for _, f := range Flags() {
		if slices.Contains(shared, f.Name) {
			list = append(list, f)
		}
	}
	return list
}

// ParseStaged reads the whole argument string of the slash command.
func ParseStaged(args string) (Request, error) { return parse(args, StagedFlags()) }
