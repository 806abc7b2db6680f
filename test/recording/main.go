// Command recording runs the librarian over the source of the Go runtime and draws
// what a terminal shows of it as an SVG that plays once: what was typed, each line
// at the time it came, then how the finished run is verified and how its report
// begins. Pictures without animation show the end.
//
// Of what was printed the run's folder is shortened, long lines are wrapped, and
// links of the report are left out; nothing else is altered.
package main

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

const question = "How does the Go garbage collector decide when to start a cycle, and how does it pace itself?"

func main() {
	council := flag.String("council", "bin/council", "the program that is recorded")
	to := flag.String("o", "run.svg", "the picture")
	flag.Parse()
	if err := record(*council, *to); err != nil {
		fmt.Fprintln(os.Stderr, "recording: "+err.Error())
		os.Exit(1)
	}
}

func record(council, to string) error {
	council, err := filepath.Abs(council)
	if err != nil {
		return err
	}
	project, err := os.MkdirTemp("", "recording")
	if err != nil {
		return err
	}
	defer os.RemoveAll(project)
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("find Go's source: %w", err)
	}
	scope := filepath.Join(strings.TrimSpace(string(root)), "src", "runtime")

	r := recorder{project: project, council: council}
	r.shorten = strings.NewReplacer(scope, "runtime", project+string(filepath.Separator), "")
	r.typed(`council run --seats librarian --scope runtime "` + question + `"`)
	if err := r.run("run", "--seats", "librarian", "--scope", scope, "--scope-outside", question); err != nil {
		return err
	}
	r.typed("council verify")
	if err := r.run("verify"); err != nil {
		return err
	}
	reports, err := filepath.Glob(filepath.Join(project, "research", "*", "final-report.md"))
	if err != nil || len(reports) != 1 {
		return fmt.Errorf("find the report: %d, %w", len(reports), err)
	}
	report, err := os.ReadFile(reports[0])
	if err != nil {
		return err
	}
	r.typed("head research/*/final-report.md   # without its links")
	for _, line := range beginning(string(report)) {
		r.line(line)
	}
	return os.WriteFile(to, draw(r.lines), 0o644)
}

// shown is a line and when it came, from the beginning.
type shown struct {
	at    time.Duration
	text  string
	typed bool
}

type recorder struct {
	project, council string
	shorten          *strings.Replacer
	now              time.Duration // how far the picture has played
	lines            []shown
}

// longestWait bounds how long nothing happens in the picture.
const longestWait = 1500 * time.Millisecond

func (r *recorder) typed(text string) {
	if len(r.lines) > 0 {
		r.now += time.Second
		r.line("")
	}
	for _, part := range wrapped("$ " + text) {
		r.lines = append(r.lines, shown{r.now, part, true})
	}
	r.now += time.Second
}

func (r *recorder) line(text string) {
	text = r.shorten.Replace(text)
	if len([]rune(text)) <= columns {
		r.lines = append(r.lines, shown{r.now, text, false})
		return
	}
	for _, part := range wrapped(text) {
		r.lines = append(r.lines, shown{r.now, part, false})
	}
}

// run shows what the program prints, each line when it comes.
func (r *recorder) run(args ...string) error {
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
	defer stop()
	c := exec.CommandContext(ctx, r.council, args...)
	c.Dir = r.project
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.project}
	read, write := io.Pipe()
	c.Stdout, c.Stderr = write, write
	if err := c.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() {
		err := c.Wait()
		write.Close()
		ended <- err
	}()
	last := time.Now()
	for lines := bufio.NewScanner(read); lines.Scan(); {
		r.now += min(time.Since(last), longestWait)
		last = time.Now()
		r.line(lines.Text())
	}
	if err := <-ended; err != nil {
		return fmt.Errorf("council %s: %w", args[0], err)
	}
	return nil
}

var link = regexp.MustCompile(`\[(\\\[\d+\\\])\]\([^)]*\)`)

// beginning is the head of a report up to its findings, wrapped, links as their words.
func beginning(report string) []string {
	head, _, _ := strings.Cut(report, "\n- **How sure")
	head = strings.NewReplacer(`\[`, "[", `\]`, "]").Replace(link.ReplaceAllString(head, "$1"))
	var list []string
	for line := range strings.Lines(strings.TrimSpace(head)) {
		list = append(list, wrapped(strings.TrimSpace(line))...)
	}
	return list
}

func wrapped(line string) []string {
	var list []string
	var now string
	for word := range strings.FieldsSeq(line) {
		if now != "" && len([]rune(now+" "+word)) > columns {
			list, now = append(list, now), word
			continue
		}
		now = strings.TrimPrefix(now+" "+word, " ")
	}
	return append(list, now)
}

// Of the picture: letters across, lines that are seen, and sizes in pixels.
const (
	columns, rows      = 104, 30
	letter, lineHeight = 7.8, 18
	margin             = 16
)

// draw makes the picture.
func draw(lines []shown) []byte {
	const width, height = columns*letter + 2*margin, rows*lineHeight + 2*margin
	up := max(0, len(lines)-rows) * lineHeight
	end := 1.0
	if len(lines) > 0 {
		end = max(end, lines[len(lines)-1].at.Seconds())
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" width="%.0f" height="%d" role="img">
<title>A terminal: council researches a question with the librarian, and verifies the run</title>
<style>
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d6d9de;white-space:pre}
.typed{fill:#8ad6a0;font-weight:bold}
text{animation:come .01s backwards}
@keyframes come{from{opacity:0}}
#lines{animation:roll %.2fs linear backwards}
@keyframes roll{
`, width, height, width, height, end)
	for i, l := range lines {
		if i >= rows {
			// A line that comes pushes the others up at that moment.
			percent := 100 * l.at.Seconds() / end
			fmt.Fprintf(&b, "%.3f%%{transform:translateY(%dpx)}%.3f%%{transform:translateY(%dpx)}\n",
				max(0, percent-.001), up-(i-rows)*lineHeight, percent, up-(i-rows+1)*lineHeight)
		}
	}
	fmt.Fprintf(&b, `}
@media(prefers-reduced-motion:reduce){text,#lines{animation:none}}
</style>
<rect width="100%%" height="100%%" rx="8" fill="#15181d"/>
<clipPath id="screen"><rect x="0" y="%d" width="%.0f" height="%d"/></clipPath>
<g clip-path="url(#screen)"><g id="lines">
`, margin-1, width, rows*lineHeight+margin)
	for i, l := range lines {
		class := ""
		if l.typed {
			class = ` class="typed"`
		}
		fmt.Fprintf(&b, `<text%s x="%d" y="%d" style="animation-delay:%.2fs">%s</text>`+"\n", class, margin, margin+(i+1)*lineHeight-5-up, l.at.Seconds(), inXML(cut(l.text)))
	}
	b.WriteString("</g></g>\n</svg>\n")
	return b.Bytes()
}

// cut is a line that fits.
func cut(line string) string {
	letters := []rune(line)
	if len(letters) <= columns {
		return line
	}
	return string(letters[:columns-1]) + "…"
}

// inXML is a text with nothing in it that XML or a terminal would read.
func inXML(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, text)
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}
