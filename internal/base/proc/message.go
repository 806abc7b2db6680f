package proc

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

// What a starter and a keeper tell each other are messages: the number of
// fields, then the fields, each ended by a NUL, which no path, argument or
// entry of an environment may hold. The standard library's codecs would make
// the keeper, which starts with every child, several times as large.

// protocol begins every order. It is another word whenever a message changes, so
// that a keeper of another release does not take an order for its own.
const protocol = "council-keeper-1"

var (
	errNUL     = errors.New("it holds a NUL")
	errMessage = errors.New("what was told cannot be read")
)

// encodeFields puts fields into a message.
func encodeFields(fields []string) ([]byte, error) {
	text := strconv.AppendInt(nil, int64(len(fields)), 10)
	text = append(text, 0)
	for _, f := range fields {
		if strings.IndexByte(f, 0) >= 0 {
			return nil, errNUL
		}
		text = append(append(text, f...), 0)
	}
	return text, nil
}

// readMessage reads the fields of the next message.
func readMessage(r *bufio.Reader) ([]string, error) {
	count, err := readField(r)
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(count)
	if err != nil {
		return nil, errMessage
	}
	var fields []string
	for range n {
		f, err := readField(r)
		if err != nil {
			return nil, errMessage
		}
		fields = append(fields, f)
	}
	return fields, nil
}

func readField(r *bufio.Reader) (string, error) {
	f, err := r.ReadString(0)
	if err != nil {
		return "", err
	}
	return f[:len(f)-1], nil
}

// fields takes a message apart. Its first fault stays, and all that is taken
// after it is empty.
type fields struct {
	list []string
	err  error
}

func (f *fields) text() string {
	if len(f.list) == 0 {
		f.err = errMessage
		return ""
	}
	first := f.list[0]
	f.list = f.list[1:]
	return first
}

func (f *fields) number() int64 {
	n, err := strconv.ParseInt(f.text(), 10, 64)
	if err != nil {
		f.err = errMessage
		return 0
	}
	return n
}

func (f *fields) identity() Identity { return Identity{PID: int(f.number()), Start: f.text()} }

func number(n int64) string { return strconv.FormatInt(n, 10) }

// encode is the order to start a process.
func (s Spec) encode() ([]byte, error) {
	list := []string{
		protocol, s.Dir, s.Stdin, s.Stdout, s.Stderr, number(int64(s.Grace)), s.Mark, number(s.MaxOutput), number(int64(len(s.Argv))),
	}
	return encodeFields(append(append(list, s.Argv...), s.Env...))
}

// errProtocol says that an order is another release's.
var errProtocol = errors.New("the order is in another release's words")

// readOrder reads the order to start a process.
func readOrder(r *bufio.Reader) (Spec, error) {
	list, err := readMessage(r)
	if err != nil {
		return Spec{}, err
	}
	f := fields{list: list}
	if f.text() != protocol {
		return Spec{}, errProtocol
	}
	s := Spec{Dir: f.text(), Stdin: f.text(), Stdout: f.text(), Stderr: f.text()}
	s.Grace, s.Mark, s.MaxOutput = time.Duration(f.number()), f.text(), f.number()
	argc := f.number()
	if f.err != nil || argc < 1 || argc > int64(len(f.list)) {
		return Spec{}, errMessage
	}
	s.Argv, s.Env = f.list[:argc:argc], f.list[argc:]
	return s, nil
}

// report is what a keeper tells: first who the child is or why there is none,
// last how it ended.
type report struct {
	child   Identity // none where its pid is 0
	err     string
	gone    bool
	code    int
	signal  string
	ended   bool
	flooded bool
	cpu     time.Duration
	maxRSS  int64
	left    []Identity // what could not be ended
}

// write writes a word.
func (w report) write(to io.Writer) error {
	list := []string{
		number(int64(w.child.PID)), w.child.Start, strings.ReplaceAll(w.err, "\x00", "?"), strconv.FormatBool(w.gone),
		number(int64(w.code)), w.signal, strconv.FormatBool(w.ended), strconv.FormatBool(w.flooded), number(int64(w.cpu)), number(w.maxRSS),
	}
	for _, id := range w.left {
		list = append(list, number(int64(id.PID)), id.Start)
	}
	text, err := encodeFields(list)
	if err != nil {
		return err
	}
	_, err = to.Write(text)
	return err
}

// readReport reads a word.
func readReport(r *bufio.Reader) (report, error) {
	list, err := readMessage(r)
	if err != nil {
		return report{}, err
	}
	f := fields{list: list}
	w := report{child: f.identity(), err: f.text(), gone: f.text() == "true"}
	w.code, w.signal = int(f.number()), f.text()
	w.ended, w.flooded = f.text() == "true", f.text() == "true"
	w.cpu, w.maxRSS = time.Duration(f.number()), f.number()
	for f.err == nil && len(f.list) > 0 {
		w.left = append(w.left, f.identity())
	}
	if f.err != nil {
		return report{}, f.err
	}
	return w, nil
}
