package archive

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// What a body may be. The last figure leaves small pages alone that only
// repeat themselves.
const (
	maxRaw     = 25 << 20
	maxBody    = 32 << 20
	maxRatio   = 100
	ratioFloor = 1 << 20
	// maxWindow is the window that a zstd body may ask for (RFC 9659).
	maxWindow = 8 << 20
)

// encodings are those we ask for and undo ourselves.
const encodings = "gzip, deflate, br, zstd"

// decodeBody undoes the encodings of a body. Cut says that it ended too early;
// what came before is good.
func decodeBody(raw []byte, header http.Header) (body []byte, cut bool, err error) {
	named := strings.FieldsFunc(strings.ToLower(strings.Join(header.Values("Content-Encoding"), ",")), func(r rune) bool { return r == ',' || r == ' ' })
	if len(named) > 3 {
		return nil, false, refuse("the body is encoded %d times", len(named))
	}
	most := int64(min(maxBody, max(ratioFloor, maxRatio*len(raw))))
	body = raw
	for i := len(named) - 1; i >= 0; i-- {
		// It is unfolded twice: what is too large is never held, and what is held
		// is no larger than it.
		size, err := decodeOne(io.Discard, named[i], body, most+1)
		if size > most {
			return nil, false, refuse("a body of %d bytes unfolds to more than %d", len(raw), most)
		}
		if err != nil && size == 0 {
			return nil, false, err
		}
		cut = cut || err != nil
		out := bytes.NewBuffer(make([]byte, 0, size))
		if n, again := decodeOne(out, named[i], body, size); n != size {
			return nil, false, fmt.Errorf("undo %s: it unfolds to %d bytes, then to %d: %w", named[i], size, n, again)
		}
		body = out.Bytes()
	}
	return body, cut, nil
}

// decodeOne undoes one encoding as far as it goes, and at most so far.
func decodeOne(to io.Writer, name string, body []byte, most int64) (int64, error) {
	r, err := newDecoder(name, body)
	if err != nil {
		return 0, err
	}
	if r == nil {
		r = bytes.NewReader(body)
	}
	defer closeAll(r)
	n, err := io.Copy(struct{ io.Writer }{to}, io.LimitReader(r, most))
	if err != nil {
		err = fmt.Errorf("undo %s: %w", name, err)
	}
	return n, err
}

// newDecoder reads an encoding; nil for none.
func newDecoder(name string, body []byte) (io.Reader, error) {
	from := bytes.NewReader(body)
	switch name {
	case "identity":
		return nil, nil
	case "gzip", "x-gzip":
		if !bytes.HasPrefix(body, []byte{0x1f, 0x8b}) { // said to be, and is not
			return nil, nil
		}
		r, err := gzip.NewReader(from)
		if err != nil {
			return nil, fmt.Errorf("undo gzip: %w", err)
		}
		return r, nil
	case "deflate":
		if r, err := zlib.NewReader(from); err == nil {
			return r, nil
		}
		return flate.NewReader(bytes.NewReader(body)), nil // as some servers understand it
	case "br":
		return brotli.NewReader(from), nil
	case "zstd":
		r, err := zstd.NewReader(from, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, fmt.Errorf("undo zstd: %w", err)
		}
		return r, nil
	}
	return nil, refuse("the body is encoded as %q, which was not asked for", shortLine(name))
}

func closeAll(r io.Reader) {
	switch r := r.(type) {
	case *zstd.Decoder:
		r.Close()
	case io.Closer:
		_ = r.Close() // nothing is held open but memory
	}
}

// readBody reads a body as it comes. Cut says that it is not whole.
func readBody(resp *http.Response) (raw []byte, cut bool, err error) {
	raw, err = io.ReadAll(io.LimitReader(resp.Body, maxRaw+1))
	if len(raw) > maxRaw {
		return raw[:maxRaw], true, nil
	}
	if errors.Is(err, io.ErrUnexpectedEOF) && len(raw) > 0 {
		return raw, true, nil
	}
	return raw, false, err
}
