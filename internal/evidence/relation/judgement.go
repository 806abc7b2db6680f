package relation

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
)

// Judgement is what one judge says of one pair.
type Judgement struct {
	A, B      string  // ids of the two statements, the lower first
	Kind      Kind    // what B has to do with A: Narrower says that A is
	Condition string  // under which each holds, of Condition
	Dispute   Dispute // what sort of matter a contradiction is about
	Words     string  // on which it hangs
	Settle    string  // what would settle a contradiction
	Seat      string
	Family    string
}

// Bounds of what a judge may answer.
const (
	maxAnswer   = 1 << 20 // bytes
	maxPairs    = 1000
	maxSentence = 400 // runes
)

// Answer is what a judge writes.
type Answer struct {
	Pairs []Said `json:"pairs"`
}

// Said is what a judge writes of one pair.
type Said struct {
	Pair      string `json:"pair"`                // ids of the two claims: C3/C17
	Relation  string `json:"relation"`            // same, narrower, overlaps, contradicts, condition or unrelated
	Narrower  string `json:"narrower,omitempty"`  // which of the two is
	Condition string `json:"condition,omitempty"` // under which each holds
	Dispute   string `json:"dispute,omitempty"`   // what sort of matter a contradiction is about
	Words     string `json:"words,omitempty"`     // on which it hangs
	Settle    string `json:"settle,omitempty"`    // what would settle a contradiction
}

// Decode reads a judge's answer, one JSON object of the form
//
//	{"pairs": [{"pair": "C3/C17", "relation": "narrower", "narrower": "C17", "words": "…"}]}
//
// A pair that says nothing that can be understood is refused, with the reason,
// and the next one read; of several answers on one pair the last one counts.
func Decode(data []byte, seat, family string) (said []Judgement, refused []string, err error) {
	if len(data) > maxAnswer {
		return nil, nil, fmt.Errorf("it is longer than %d MiB", maxAnswer>>20)
	}
	var a Answer
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&a); err != nil {
		return nil, nil, errors.New("no JSON object with a list of pairs: " + plain.Line(err.Error(), 200))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, nil, errors.New("something stands behind the JSON object")
	}
	if len(a.Pairs) > maxPairs {
		return nil, nil, fmt.Errorf("more than %d pairs", maxPairs)
	}
	at := map[[2]string]int{}
	for i, p := range a.Pairs {
		one, other, ok := ParsePair(p.Pair)
		if !ok {
			refused = append(refused, fmt.Sprintf("answer %d: %q is no pair of claims", i+1, plain.Line(p.Pair, 60)))
			continue
		}
		j := Judgement{A: one, B: other, Condition: plain.Line(p.Condition, maxSentence), Words: plain.Line(p.Words, maxSentence), Settle: plain.Line(p.Settle, maxSentence), Seat: seat, Family: family}
		j.Dispute = disputeOf(p.Dispute)
		if problem := j.take(p.Relation, p.Narrower); problem != "" {
			refused = append(refused, fmt.Sprintf("%s/%s: %s", one, other, problem))
			continue
		}
		if n, known := at[[2]string{one, other}]; known {
			said[n] = j
			continue
		}
		at[[2]string{one, other}] = len(said)
		said = append(said, j)
	}
	return said, refused, nil
}

// take takes over what the relation is called, and says what is wrong with it.
func (j *Judgement) take(relation, narrower string) string {
	j.Kind = Kind(strings.ToLower(strings.TrimSpace(relation)))
	switch j.Kind {
	case Same, Overlaps, Unrelated:
	case Contradicts:
		j.Dispute = cmp.Or(j.Dispute, Fact)
		return ""
	case Condition:
		if j.Condition == "" {
			return "it names no condition under which each holds"
		}
	case Narrower:
		switch strings.TrimSpace(narrower) {
		case j.A:
		case j.B:
			j.Kind = Wider
		default:
			return "it does not say which of the two is the narrower"
		}
	default:
		return "its relation is none of same, narrower, overlaps, contradicts, condition, unrelated"
	}
	j.Dispute, j.Settle = "", ""
	if j.Kind != Condition {
		j.Condition = ""
	}
	return ""
}

func disputeOf(s string) Dispute {
	d := Dispute(strings.ToLower(strings.TrimSpace(s)))
	if slices.Contains(Disputes(), d) {
		return d
	}
	return ""
}

// PairID names a pair by the ids of its two claims, the lower first.
func PairID(a, b string) string {
	if number(a) > number(b) {
		a, b = b, a
	}
	return a + "/" + b
}

// ParsePair gives the two claims of a pair's name, the lower first.
func ParsePair(id string) (a, b string, ok bool) {
	a, b, _ = strings.Cut(strings.TrimSpace(id), "/")
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	if number(a) == 0 || number(b) == 0 || number(a) == number(b) {
		return "", "", false
	}
	if number(a) > number(b) {
		a, b = b, a
	}
	return a, b, true
}

// number is that of a claim's id, 0 for what is none.
func number(id string) int {
	digits, ok := strings.CutPrefix(id, "C")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n <= 0 || len(digits) > 9 || digits[0] == '0' || digits[0] == '+' {
		return 0
	}
	return n
}
