package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// mostPDFText bounds what a reader of PDFs may write.
const mostPDFText = 32 << 20

// PDFToText gives a reader for [Options.PDF] that asks poppler's pdftotext, by
// the path of the program. It gets the document on its standard input and
// nothing else: no environment, no file.
func PDFToText(program string) func(context.Context, []byte) (string, error) {
	return func(ctx context.Context, body []byte) (string, error) {
		cmd := exec.CommandContext(ctx, program, "-q", "-enc", "UTF-8", "-", "-")
		cmd.Env, cmd.Dir = []string{}, "/"
		cmd.WaitDelay = time.Second
		cmd.Stdin = bytes.NewReader(body)
		out := limited{left: mostPDFText}
		cmd.Stdout = &out
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("read PDF with pdftotext: %w", err)
		}
		return out.text.String(), nil
	}
}

// limited takes only so much.
type limited struct {
	text strings.Builder
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, errors.New("more text than a document has")
	}
	return l.text.Write(p)
}
