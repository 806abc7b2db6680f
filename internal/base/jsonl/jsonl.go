// Package jsonl reads JSON Lines that others wrote, one object a line. Any
// bytes may come: a line that is no record is refused with a reason for its
// writer, the next one is read, and nothing is held without a bound. What makes
// a fenced block, a JSON array or a document of the lines is passed over. What
// an object must hold is left to the callers.
package jsonl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// Refusal is a line that is no record.
type Refusal struct {
	Line   int    // counted from 1
	Reason string // for its writer, on one line
}

// MaxTold is how many refusals of a file are told one by one.
const MaxTold = 20

// Format is what a file of one kind may be.
type Format struct {
	File     int // bytes of a file; 0 for any
	Line     int // bytes of a line
	MaxLines int // lines that hold something; 0 for any

	// List gives the list of records that an object holds, nil for none. Where
	// it is set the file may also be JSON over any lines: records, lists of them
	// and objects that hold one, one behind the other.
	List func(object json.RawMessage) json.RawMessage

	None string // what is said of a line that is no object: "no JSON object" when empty

	// Rest tells as one the n refusals beyond those told one by one, of which
	// first and last are the lines.
	Rest func(first, last, n int) Refusal
}

// RemainderRefusal tells a rest at its first line: "this and 3 more lines are no claims".
func RemainderRefusal(said string) func(first, last, n int) Refusal {
	return func(first, _, n int) Refusal {
		return Refusal{first, fmt.Sprintf("this and %d more lines %s", n-1, said)}
	}
}

// Decode reads the records of a file. read makes one of an object, or says
// what is wrong with it; the object is valid until read returns.
func Decode[T any](in io.Reader, f Format, read func(object []byte) (T, string)) ([]T, []Refusal) {
	var list []T
	refused := f.Each(in, func(_ int, object []byte) string {
		v, problem := read(object)
		if problem == "" {
			list = append(list, v)
		}
		return problem
	})
	return list, refused
}

// Each calls take with every object of a file and the line on which it begins,
// and refuses those with which take finds something wrong. The object is valid
// until take returns; it begins with a brace and may be broken behind it.
func (f Format) Each(in io.Reader, take func(line int, object []byte) (problem string)) []Refusal {
	r := reading{Format: f, take: take}
	if f.File == 0 {
		r.File = math.MaxInt - 1
	}
	if f.List != nil {
		r.readValues(in)
		return r.refusals()
	}
	last := r.readLines(io.LimitReader(in, int64(r.File)))
	var beyond [1]byte
	if n, _ := io.ReadFull(in, beyond[:]); n > 0 && f.File > 0 {
		return append(r.refusals(), Refusal{last, fmt.Sprintf("the file is longer than %d MiB; the rest was not read", f.File>>20)})
	}
	return r.refusals()
}

// reading is a file of a form that is being read.
type reading struct {
	Format
	take              func(int, []byte) string
	told              []Refusal
	first, last, more int // of the refusals beyond those
	records           int
}

func (r *reading) refuse(line int, reason string) {
	if len(r.told) < MaxTold {
		r.told = append(r.told, Refusal{line, reason})
		return
	}
	if r.more == 0 {
		r.first = line
	}
	r.last = line
	r.more++
}

func (r *reading) refusals() []Refusal {
	if r.more == 0 {
		return r.told
	}
	return append(r.told, r.Rest(r.first, r.last, r.more))
}

// readLines reads line by line and gives the number of the last one.
func (r *reading) readLines(in io.Reader) (last int) {
	for l, err := range Lines(in, r.Line) {
		last = l.Number
		if err != nil {
			r.refuse(last, "reading stopped: "+err.Error())
			break
		}
		text := bytes.TrimSpace(bytes.TrimSuffix(trimLine(l.Text), []byte(",")))
		if brackets := string(text); !l.Long && (isDecoration(text) || brackets == "[" || brackets == "]") {
			continue
		}
		if r.records++; r.MaxLines > 0 && r.records > r.MaxLines {
			r.refuse(last, fmt.Sprintf("there are more than %d records; the rest was not read", r.MaxLines))
			break
		}
		r.takeObject(last, text, l.Long)
	}
	return last
}

// takeObject hands on what may be an object.
func (r *reading) takeObject(line int, text []byte, long bool) {
	problem := r.None
	switch {
	case long:
		problem = fmt.Sprintf("longer than %d KiB", r.Line>>10)
	case text[0] == '{':
		problem = r.take(line, text)
	case problem == "":
		problem = "no JSON object"
	}
	if problem != "" {
		r.refuse(line, problem)
	}
}

// trimLine is a line without the space around it and a byte order mark.
func trimLine(line []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
}

// isDecoration reports whether a bare line only stands around records: a heading, a
// comment such as the mark that ends a report, a fence. No line of JSON begins
// like one.
func isDecoration(line []byte) bool {
	return len(line) == 0 || line[0] == '#' || bytes.HasPrefix(line, []byte("```")) || bytes.HasPrefix(line, []byte("<!--"))
}
