package openai

import (
	"bufio"
	"bytes"
	"io"
	"iter"
)

// maxEvent bounds a line of a stream, and an event, in bytes.
const maxEvent = 32 << 20

// events reads the data of the events of a stream (text/event-stream, WHATWG
// HTML, 9.2.6), until it ends or breaks. The type of an event says nothing that
// its data does not; one that the stream does not close is none. Lines end in LF
// or CRLF.
func events(from io.Reader) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		lines := bufio.NewScanner(from)
		lines.Buffer(nil, maxEvent)
		var data []byte
		for lines.Scan() {
			field, value, _ := bytes.Cut(lines.Bytes(), []byte(":"))
			switch {
			case len(lines.Bytes()) == 0:
				if event := bytes.TrimSuffix(data, []byte("\n")); len(event) > 0 && !yield(string(event), nil) {
					return
				}
				data = data[:0]
			case string(field) != "data":
			case len(data)+len(value) > maxEvent:
				yield("", bufio.ErrTooLong)
				return
			default:
				data = append(append(data, bytes.TrimPrefix(value, []byte(" "))...), '\n')
			}
		}
		if err := lines.Err(); err != nil {
			yield("", err)
		}
	}
}
