// Package corpus is a full-text index of a folder of local files, the scope.
//
// [Open] gives the index, and builds it where there is none: every text file
// below the scope, cut into passages with exact line numbers. The index is one
// file that several processes share; one of them builds it under a lock,
// beside, and moves it into place whole. What is read of a scope is package
// local's; links are passed over, and what is passed over is counted. There is no
// language of queries: a query is stems. The index is a form of our own (table.go),
// since a database that searches text would be a tenth of the program.
//
// How a file is cut, which shard a passage belongs to and what words are
// found by is package librarian's; what answers a question best is, too.
package corpus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/evidence/local"
)

// Corpus is the index of a folder, or of texts. It may be used by many goroutines.
type Corpus struct {
	files *local.Files // nil of texts
	texts Texts
	file  *os.File
	indexTable
}

// Texts are what an index is made of where that is no folder.
type Texts struct {
	Names []string
	Read  func(name string) (string, error)
}

// OpenTexts opens the index of texts, known by a key, where it is and is whole. None is
// an error that is fs.ErrNotExist.
func OpenTexts(index, key string, texts Texts) (*Corpus, error) {
	c := &Corpus{texts: texts}
	if err := c.openExisting(index, key); err != nil {
		return nil, err
	}
	return c, nil
}

// BuildTexts makes the index of texts and puts it in its place whole. A text that
// cannot be read is an error.
func BuildTexts(ctx context.Context, index, key string, texts Texts) error {
	return build(ctx, index, key, func(visit visitor) error {
		for _, name := range texts.Names {
			text, err := texts.Read(name)
			if err != nil {
				return err
			}
			if err := visit(name, local.Text{Words: text}, ""); err != nil {
				return err
			}
		}
		return nil
	})
}

// Open opens the index of a scope, which is a folder, and builds it where it
// is missing, of another scope, of another form or broken. Both paths are
// absolute. Building takes about a second for 10 MB of text, and for the 10,000
// files of Go's own sources some 140 MB of memory.
func Open(ctx context.Context, index, scope string) (*Corpus, error) {
	return open(ctx, index, scope, local.Open)
}

// OpenPages is the same of a folder in a run that holds pages of the web.
func OpenPages(ctx context.Context, index, folder string) (*Corpus, error) {
	return open(ctx, index, folder, local.OpenPages)
}

func open(ctx context.Context, index, scope string, files func(string) (*local.Files, error)) (*Corpus, error) {
	f, err := files(scope)
	if err != nil {
		return nil, fmt.Errorf("open the folder to research: %w", withoutSyscall(err))
	}
	c := &Corpus{files: f}
	if err := c.openOrBuild(ctx, index, scope); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return c, nil
}

// withoutSyscall takes the name of the system call from an error, which says nothing to
// a person.
func withoutSyscall(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", p.Path, p.Err)
	}
	return err
}

// lockPollInterval is how often a process that waits for another to build looks again.
const lockPollInterval = 50 * time.Millisecond

func (c *Corpus) openOrBuild(ctx context.Context, index, scope string) error {
	if c.openExisting(index, scope) == nil {
		return nil
	}
	lock := flock.New(index+".lock", flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockPollInterval); err != nil {
		return fmt.Errorf("wait for the index of %s: %w", scope, err)
	}
	defer lock.Unlock()
	if c.openExisting(index, scope) == nil { // another process was faster
		return nil
	}
	if err := build(ctx, index, scope, func(visit visitor) error { return walk(c.files, visit) }); err != nil {
		return fmt.Errorf("index %s: %w", scope, err)
	}
	if err := c.openExisting(index, scope); err != nil {
		return fmt.Errorf("open the index of %s: %w", scope, err)
	}
	return nil
}

// openExisting opens an index that is whole and of this scope.
func (c *Corpus) openExisting(index, scope string) error {
	file, err := os.Open(index)
	if err != nil {
		return err
	}
	t, err := readTable(file)
	if err == nil && t.scope != scope {
		err = errors.New("it is the index of another folder")
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	c.file, c.indexTable = file, t
	return nil
}

// Close gives the files back.
func (c *Corpus) Close() error {
	if c.files == nil {
		return c.file.Close()
	}
	return errors.Join(c.file.Close(), c.files.Close())
}

// Stats says what the index holds.
func (c *Corpus) Stats() librarian.Stats { return c.stats }

// Lines are the lines of a file below the scope as they are now, joined by
// "\n", without carriage returns.
func (c *Corpus) Lines(path string, first, last int) (string, error) {
	text, err := c.text(path)
	if err != nil {
		return "", fmt.Errorf("read lines: %w", withoutSyscall(err))
	}
	lines := strings.Split(text, "\n")
	if first < 1 || last < first || last > len(lines) {
		return "", fmt.Errorf("read lines: %s has no lines %d-%d", path, first, last)
	}
	lines = lines[first-1 : last]
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return strings.Join(lines, "\n"), nil
}

func (c *Corpus) text(path string) (string, error) {
	if c.files == nil {
		return c.texts.Read(path)
	}
	text, err := c.files.Read(path, maxFile)
	return text.Words, err
}
