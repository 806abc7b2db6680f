package archive

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/evidence/extract"
)

// Reader gets the text out of the bytes of a source, as [extract.Text] does.
type Reader func(ctx context.Context, body []byte, mime, url string) (extract.Document, error)

// Bounds of a process that reads a source. Half a megabyte that a stranger
// sends can unfold to gigabytes in whoever takes it apart.
const (
	softMemory          = 160 << 20 // from which on memory is given back at any price
	maxMemory           = 220 << 20 // at which it ends
	hardMemory          = 400 << 20 // what the system lets it ask for, in pages it may write
	maxSeconds          = 60        // of computing, should whoever started it be gone
	memoryCheckInterval = 2 * time.Millisecond
)

// readerRequest is the first line that such a process is given; the bytes follow.
type readerRequest struct {
	MIME string `json:"mime"`
	URL  string `json:"url"`
	Flat bool   `json:"flat,omitempty"` // a page is not made into a document
	Size int    `json:"size"`
}

// readerAnswer is the first line of its answer; the text follows.
type readerAnswer struct {
	extract.Document
	Fault string `json:"fault,omitempty"`
}

// NewProcessReader gives a reader that starts a process for each source, by an argument
// vector that leads to [RunReaderProcess]. The process has no environment but the path
// of programs, no file, and an end. A page that is too much for it is read once more
// without being taken apart; what cannot be read even so is damaged, which is a
// reason and no verdict.
func NewProcessReader(argv ...string) Reader {
	return func(ctx context.Context, body []byte, mime, url string) (extract.Document, error) {
		d, err := runReader(ctx, argv, readerRequest{MIME: mime, URL: url, Size: len(body)}, body)
		if errors.Is(err, errReaderEnded) && ctx.Err() == nil && !bytes.Contains(body[:min(len(body), 1024)], []byte("%PDF-")) && !extract.IsPacked(body) {
			d, err = runReader(ctx, argv, readerRequest{MIME: mime, URL: url, Size: len(body), Flat: true}, body)
		}
		if err != nil && len(d.Warnings) == 0 { // it was not even begun
			d.Warnings = append(d.Warnings, extract.Damaged+": "+shortLine(err.Error()))
		}
		return d, err
	}
}

// errReaderEnded says that a process that read a source did not come to its end.
var errReaderEnded = errors.New("reading it takes more memory or time than a source may")

func runReader(ctx context.Context, argv []string, j readerRequest, body []byte) (d extract.Document, err error) {
	head, err := json.Marshal(j)
	if err != nil {
		return d, err
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env, cmd.Dir = []string{"PATH=" + os.Getenv("PATH"), "GOTRACEBACK=none"}, "/"
	cmd.WaitDelay = time.Second
	cmd.Stdin = io.MultiReader(bytes.NewReader(append(head, '\n')), bytes.NewReader(body))
	out, err := cmd.StdoutPipe()
	if err != nil {
		return d, fmt.Errorf("read a source: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return d, fmt.Errorf("read a source: %w", err)
	}
	d, fault, read := readAnswer(out)
	_, _ = io.Copy(io.Discard, out) // it is waited for below
	ended := cmd.Wait()
	switch {
	case read != nil || ended != nil:
		return extract.Document{}, errReaderEnded
	case fault != "":
		return d, errors.New(fault)
	}
	return d, nil
}

// maxAnswer bounds what such a process may answer: the text, with its letters
// each of four bytes at most, and what is said of it.
const maxAnswer = 4*extract.MaxRead + 4<<20

func readAnswer(from io.Reader) (d extract.Document, fault string, err error) {
	in := bufio.NewReader(io.LimitReader(from, maxAnswer))
	line, err := in.ReadBytes('\n')
	if err != nil {
		return d, "", err
	}
	var r readerAnswer
	if err := json.Unmarshal(line, &r); err != nil {
		return d, "", err
	}
	size := 0
	if n := len(r.Parts); n > 0 {
		size = r.Parts[n-1].End
	}
	if size < 0 || size > maxAnswer {
		return d, "", errReaderEnded
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(in, text); err != nil {
		return d, "", err
	}
	r.Text = string(text)
	return r.Document, r.Fault, nil
}

// RunReaderProcess is the whole work of a process that [NewProcessReader] starts: it bounds
// itself, reads one source and answers. When its memory is at its end it calls
// over, which has to end the process.
func RunReaderProcess(in io.Reader, out io.Writer, over func()) error {
	limitMemory(over)
	from := bufio.NewReader(in)
	head, err := from.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read a source: %w", err)
	}
	var j readerRequest
	if err := json.Unmarshal(head, &j); err != nil || j.Size < 0 || j.Size > maxBody {
		return errors.New("read a source: it is not said what it is")
	}
	body := make([]byte, j.Size)
	if _, err := io.ReadFull(from, body); err != nil {
		return fmt.Errorf("read a source: %w", err)
	}
	var r readerAnswer
	if j.Flat {
		r.Document = extract.StreamText(body, j.MIME, j.URL)
	} else if r.Document, err = extract.Text(body, j.MIME, j.URL); err != nil {
		r.Fault = err.Error()
	}
	text := r.Text
	r.Text = ""
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("read a source: %w", err)
	}
	if _, err := out.Write(append(line, '\n')); err != nil {
		return err
	}
	_, err = io.Copy(out, strings.NewReader(text))
	return err
}

// limitMemory keeps this process small: what is free is given back, a look every
// glance calls over above what it may have, and the system refuses what grows
// faster.
func limitMemory(over func()) {
	debug.SetMemoryLimit(softMemory)
	boundReader()
	held := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	go func() {
		for {
			metrics.Read(held)
			if held[0].Value.Uint64()-held[1].Value.Uint64() > maxMemory {
				over()
			}
			time.Sleep(memoryCheckInterval)
		}
	}()
}
