package repo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/plural"
)

// Bounds of the history that churn is counted over.
const (
	historyDays    = 365
	historyCommits = 5000
	historyPaths   = 5_000_000        // names git writes, all commits together
	historyTime    = 20 * time.Second // then what was counted so far counts
	massCommit     = 1000             // files; more are a move or a format, and say nothing of any
)

// changeCounts counts, by path, the commits of the year before HEAD that touched it.
// One call of git tells them; its answer is counted as it comes and not kept.
func (l *lister) changeCounts(ctx context.Context) (map[string]int, error) {
	switch {
	case !l.info.Repository:
		l.info.History = "unknown, no git repository"
		return nil, nil
	case l.info.Commit == "":
		l.info.History = "no commit yet"
		return nil, nil
	case l.info.Shallow:
		l.info.History = "unknown, the clone is shallow"
		return nil, nil
	}
	head, err := l.gitLine(ctx, gitCall{args: []string{"log", "-1", "--format=%ct", l.info.Commit, "--"}})
	if err != nil {
		return nil, err
	}
	at, err := strconv.ParseInt(head, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("read the time of HEAD: %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, historyTime)
	defer cancel()
	c := &commitCounter{at: map[string]int{}}
	since := max(0, at-historyDays*24*60*60)
	_, err = l.run(limited, l.top, gitCall{out: c, args: []string{
		"log", "-z", "--name-only", "--relative", "--no-renames", "--no-merges", "--format=%x01", "--no-ext-diff", "--no-textconv",
		"--ignore-submodules=all", "--max-count=" + strconv.Itoa(historyCommits), fmt.Sprintf("--since=@%d +0000", since), l.info.Commit, "--",
	}})
	c.commit()
	return c.at, l.noteHistory(ctx, c, err)
}

// noteHistory says what was counted. A history that takes too long is counted as far
// as it came.
func (l *lister) noteHistory(ctx context.Context, c *commitCounter, err error) error {
	l.info.History = plural.Of(c.commits, "commit") + " of the year before HEAD"
	if c.commits == historyCommits {
		l.info.History = fmt.Sprintf("the last %d commits", c.commits)
	}
	if c.mass > 0 {
		l.info.History += fmt.Sprintf(", of which %d with more than %d files do not count", c.mass, massCommit)
	}
	var f *gitFailure
	if errors.As(err, &f) && c.names < historyPaths {
		l.info.History = fmt.Sprintf("unknown, git log ended with %d", f.code) // such as in a clone without all trees
		clear(c.at)
		return nil
	}
	cut := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errTooMany) || c.names >= historyPaths
	if err != nil && cut && ctx.Err() == nil {
		l.info.History = fmt.Sprintf("the last %d commits, cut off for their size", c.commits)
		return nil
	}
	return err
}

var errTooMany = errors.New("too many names")

// commitCounter counts names as git log -z --name-only writes them: for each commit
// an item \x01, then its names, the first after a line break.
type commitCounter struct {
	at      map[string]int
	part    []byte // of an item
	names   int
	commits int
	mass    int
	current []string
	size    int // names of the commit, those beyond massCommit too
}

func (c *commitCounter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		end := bytes.IndexByte(rest, 0)
		if end < 0 {
			c.part = append(c.part, rest...)
			break
		}
		c.part = append(c.part, rest[:end]...)
		c.addItem(string(c.part))
		c.part, rest = c.part[:0], rest[end+1:]
	}
	if c.names >= historyPaths {
		return 0, errTooMany
	}
	return len(p), nil
}

func (c *commitCounter) addItem(s string) {
	if s == "\x01" {
		c.commit()
		c.commits++
		return
	}
	c.names++
	if c.size++; c.size <= massCommit {
		c.current = append(c.current, strings.TrimPrefix(s, "\n"))
	}
}

// commit counts the names of a commit that is over.
func (c *commitCounter) commit() {
	if c.size > massCommit {
		c.mass++
	} else {
		for _, p := range c.current {
			c.at[p]++
		}
	}
	c.current, c.size = c.current[:0], 0
}
