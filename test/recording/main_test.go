package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// texts are the lines that a picture shows, and its own faults as XML.
func texts(t *testing.T, picture []byte) []string {
	t.Helper()
	var list []string
	d := xml.NewDecoder(bytes.NewReader(picture))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return list
		}
		require.NoError(t, err)
		if begin, is := token.(xml.StartElement); is && begin.Name.Local == "text" {
			var text string
			require.NoError(t, d.DecodeElement(&text, &begin))
			list = append(list, text)
		}
	}
}

func TestALineIsShownAsItWasPrinted(t *testing.T) {
	lines := []shown{{0, "$ council run", true}, {time.Second, `a <b> & "c" 'd'`, false}, {time.Second, "\x1b[31mred\x00", false}, {2 * time.Second, "Größe 字", false}}
	require.Equal(t, []string{"$ council run", `a <b> & "c" 'd'`, "[31mred", "Größe 字"}, texts(t, draw(lines)))
}

func TestALongLineIsCut(t *testing.T) {
	shownLines := texts(t, draw([]shown{{0, strings.Repeat("字", 3*columns), false}}))
	require.Equal(t, strings.Repeat("字", columns-1)+"…", shownLines[0])
}

// Without animation the last lines are seen: they stand within the picture.
func TestTheEndIsWhatStands(t *testing.T) {
	var lines []shown
	for i := range 3 * rows {
		lines = append(lines, shown{time.Duration(i) * time.Second, fmt.Sprint(i), false})
	}
	picture := string(draw(lines))
	require.Contains(t, picture, fmt.Sprintf(`y="%d" style="animation-delay:%d.00s">%d</text>`, margin+rows*lineHeight-5, 3*rows-1, 3*rows-1))
	require.Contains(t, picture, "100.000%{transform:translateY(0px)}")
}

func TestTheHeadOfAReportIsReadable(t *testing.T) {
	report := "# Passages found: What?\n\n> Nobody.\n\nIt starts [\\[1\\]](#c45 \"C45\"). " + strings.Repeat("long ", 60) + "\n- **How sure:** 1\n"
	head := beginning(report)
	require.Equal(t, []string{"# Passages found: What?", "", "> Nobody.", ""}, head[:4])
	require.True(t, strings.HasPrefix(head[4], "It starts [1]. long"), head[4])
	for _, line := range head {
		require.LessOrEqual(t, len(line), columns)
	}
}

// The picture in docs is of such a run, whole.
func TestThePictureInDocsShowsARun(t *testing.T) {
	picture, err := os.ReadFile(filepath.Join("..", "..", "docs", "pictures", "run.svg"))
	require.NoError(t, err)
	all := strings.Join(texts(t, picture), "\n")
	for _, part := range []string{"$ council run --seats librarian", "seats    librarian-official", "Run completed", "final-report.md", "$ council verify", "is verified: ", "Nobody has judged this"} {
		require.Contains(t, all, part)
	}
	require.NotContains(t, all, os.TempDir())
	require.NotContains(t, all, "/root")
	require.Less(t, len(picture), 32<<10)
}
