package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// maxPDFText bounds what a reader of PDFs may write.
const maxPDFText = 16 << 20

// PDFToText gives a reader for [Options.PDF] that asks poppler's pdftotext, by
// an argument vector that leads to it. It gets the document on its standard
// input and nothing else: no environment but the path of programs, no file.
func PDFToText(argv ...string) func(context.Context, []byte) (string, error) {
	return func(ctx context.Context, body []byte) (string, error) {
		cmd := exec.CommandContext(ctx, argv[0], append(argv[1:len(argv):len(argv)], "-q", "-enc", "UTF-8", "-", "-")...)
		cmd.Env, cmd.Dir = []string{"PATH=" + os.Getenv("PATH")}, "/"
		cmd.WaitDelay = time.Second
		cmd.Stdin = bytes.NewReader(body)
		out := cappedBuffer{left: maxPDFText}
		cmd.Stdout = &out
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("read PDF with pdftotext: %w", err)
		}
		return out.text.String(), nil
	}
}

// cappedBuffer takes only so much.
type cappedBuffer struct {
	text strings.Builder
	left int
}

func (l *cappedBuffer) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, errors.New("more text than a document has")
	}
	return l.text.Write(p)
}

// Bounds of poppler, whose address space is what it uses and some libraries.
const (
	popplerMemory  = 300 << 20
	popplerSeconds = 60
)
