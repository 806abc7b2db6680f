package desk

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// claimsFile is the file of claims that a seat's workers write in its folder
// where they do not record them here.
const claimsFile = "claims.jsonl"

// claims is the file that a seat's claims are kept in, out of its reach.
type claims struct{ *os.File }

// openClaims opens the file and makes it where it is missing, and has it alone until
// it is closed: several desks may serve one seat. What is no plain
// file is left alone: opening a pipe would wait for its other end.
func (d *Desk) openClaims() (claims, error) {
	name := claim.RecordsFile(d.o.Seat)
	if err := d.run.Mkdir(claim.Records, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return claims{}, fmt.Errorf("make the folder of records: %w", withoutPath(err))
	}
	info, err := d.run.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		return claims{}, fmt.Errorf("%s is no plain file", name)
	}
	f, err := d.run.OpenFile(name, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return claims{}, fmt.Errorf("open %s: %w", name, withoutPath(err))
	}
	if err := disk.Lock(f); err != nil {
		_ = f.Close()
		return claims{}, fmt.Errorf("lock %s: %w", name, withoutPath(err))
	}
	return claims{f}, nil
}

// withoutPath takes the system call and the path from an error.
func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// read reads the claims, and what in the file is none.
func (c claims) read(seat string) ([]claim.Draft, []claim.Refusal, error) {
	if _, err := c.Seek(0, io.SeekStart); err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", claim.Records, withoutPath(err))
	}
	drafts, refusals := claim.Decode(c, seat, "")
	return drafts, refusals, nil
}

// append adds a line in one write, behind a line feed where somebody left the
// last line without one, and sees it to the disk.
func (c claims) append(line []byte) error {
	info, err := c.Stat()
	if err != nil {
		return fmt.Errorf("look at %s: %w", claim.Records, withoutPath(err))
	}
	size := info.Size()
	if size+int64(len(line)) >= claim.FileLimit {
		return fmt.Errorf("%s is full: it may have %d MiB", claim.Records, claim.FileLimit>>20)
	}
	last := []byte{'\n'}
	if size > 0 {
		if _, err := c.ReadAt(last, size-1); err != nil {
			return fmt.Errorf("read %s: %w", claim.Records, withoutPath(err))
		}
	}
	if last[0] != '\n' {
		line = append([]byte{'\n'}, line...)
	}
	if _, err := c.Write(line); err != nil {
		return fmt.Errorf("write %s: %w", claim.Records, withoutPath(err))
	}
	if err := c.Sync(); err != nil {
		return fmt.Errorf("write %s: %w", claim.Records, withoutPath(err))
	}
	return nil
}

// maxRefusals bounds the file of claims that were refused, in bytes.
const maxRefusals = 1 << 20

// noteRefusal writes down, for people who look on, that a claim was refused. Nothing
// rests on it: what cannot be written is left out.
func (d *Desk) noteRefusal(c claim.Draft, found claim.State, reason string) {
	line, err := json.Marshal(claim.DeskRefusal{Seat: c.Seat, Text: plain.Line(c.Text, 1000), Quote: plain.Line(c.Quote, 1000), Source: plain.Line(c.Source, 300), Reason: plain.Line(reason, 1000), State: found})
	if err != nil {
		return
	}
	d.recording.Lock()
	defer d.recording.Unlock()
	name := claim.RefusalsFile(d.o.Seat)
	_ = d.run.Mkdir(claim.Records, 0o700) // it may be there
	if info, err := d.run.Lstat(name); err == nil && (!info.Mode().IsRegular() || info.Size()+int64(len(line)) > maxRefusals) {
		return
	}
	f, err := d.run.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	_, _ = f.Write(append(line, '\n'))
	_ = f.Close()
}
