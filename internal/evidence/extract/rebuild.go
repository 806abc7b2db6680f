package extract

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"sync"
)

// Bounds of a file whose table of objects is made anew.
const (
	maxObjects   = 200_000
	maxUnpacked  = 64 << 20 // bytes of the streams that hold objects
	maxObjectRef = 8_388_607
)

// Where objects begin (ISO 32000-1, 7.3.10), and what is looked for in their
// dictionaries.
var (
	objectStart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[\r\n\s])(\d{1,7})[ \t]+(\d{1,5})[ \t]+obj\b`) })
	isCatalog   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/Type\s*/Catalog\b`) })
	isPacked    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/Type\s*/ObjStm\b`) })
	packedCount = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/N\s+(\d{1,6})\b`) })
	packedFirst = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/First\s+(\d{1,8})\b`) })
	infoOf      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/Info\s+(\d{1,7})\s+(\d{1,5})\s+R`) })
)

// rebuildPDF gives a file whose table of objects is broken, or whose beginning or
// end is lost, a table of what can be found in it. Objects that are packed in
// streams are laid open. What is encrypted is left.
func rebuildPDF(body []byte) ([]byte, bool) {
	if at := bytes.Index(body, []byte("%PDF-")); at > 0 {
		body = body[at:]
	}
	if bytes.Contains(body, []byte("/Encrypt")) {
		return nil, false
	}
	r := rebuilder{file: bytes.NewBuffer(bytes.Clone(body)), at: map[int]int{}, left: maxUnpacked}
	found := objectStart().FindAllSubmatchIndex(body, maxObjects)
	for i, m := range found {
		end := len(body)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		number, err := strconv.Atoi(string(body[m[2]:m[3]]))
		if err != nil || number > maxObjectRef {
			continue
		}
		r.at[number] = m[2]
		r.look(number, body[m[1]:end])
	}
	if r.catalog == 0 {
		return nil, false
	}
	r.writeTable(infoOf().FindSubmatch(body))
	return r.file.Bytes(), true
}

// rebuilder makes a table of objects.
type rebuilder struct {
	file    *bytes.Buffer
	at      map[int]int // where each object begins
	catalog int
	left    int64 // bytes that streams may still unfold to
}

// look notes what an object is, and opens it where it holds others.
func (r *rebuilder) look(number int, object []byte) {
	dictionary, stream, has := bytes.Cut(object, []byte("stream"))
	if isCatalog().Match(dictionary) {
		r.catalog = number
	}
	if has && isPacked().Match(dictionary) {
		r.unpack(dictionary, bytes.TrimLeft(stream, "\r\n"))
	}
}

// unpack appends the objects of a stream of objects (7.5.7) to the file. What a
// later object of the same number says goes before.
func (r *rebuilder) unpack(dictionary, stream []byte) {
	count, first := numberOf(packedCount().FindSubmatch(dictionary)), numberOf(packedFirst().FindSubmatch(dictionary))
	unfold, err := zlib.NewReader(bytes.NewReader(stream))
	if err != nil {
		return
	}
	data, _ := io.ReadAll(io.LimitReader(unfold, r.left)) // as much of it as there is
	r.left -= int64(len(data))
	if first <= 0 || first > len(data) {
		return
	}
	heads := bytes.Fields(data[:first])
	for i := 0; i+1 < len(heads) && i < 2*count && len(r.at) < maxObjects; i += 2 {
		number, err1 := strconv.Atoi(string(heads[i]))
		begin, err2 := strconv.Atoi(string(heads[i+1]))
		end := len(data) - first
		if i+3 < len(heads) {
			if next, err := strconv.Atoi(string(heads[i+3])); err == nil {
				end = next
			}
		}
		if err1 != nil || err2 != nil || number <= 0 || number > maxObjectRef || begin < 0 || begin > end || first+end > len(data) {
			continue
		}
		object := data[first+begin : first+end]
		r.file.WriteByte('\n')
		r.at[number] = r.file.Len()
		fmt.Fprintf(r.file, "%d 0 obj\n%s\nendobj\n", number, object)
		if isCatalog().Match(object) {
			r.catalog = number
		}
	}
}

func numberOf(match [][]byte) int {
	if match == nil {
		return 0
	}
	n, err := strconv.Atoi(string(match[1]))
	if err != nil {
		return 0
	}
	return n
}

// writeTable ends the file with the table and its trailer (7.5.4 and 7.5.5).
func (r *rebuilder) writeTable(info [][]byte) {
	begin, last := r.file.Len()+1, 0
	r.file.WriteString("\nxref\n")
	for number, at := range r.at {
		fmt.Fprintf(r.file, "%d 1\n%010d 00000 n \n", number, at)
		last = max(last, number)
	}
	fmt.Fprintf(r.file, "trailer\n<< /Size %d /Root %d 0 R", last+1, r.catalog)
	if info != nil {
		fmt.Fprintf(r.file, " /Info %s %s R", info[1], info[2])
	}
	fmt.Fprintf(r.file, " >>\nstartxref\n%d\n%%%%EOF\n", begin)
}
