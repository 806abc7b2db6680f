package telemetry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// record is a span as a line of the file.
type record struct {
	Trace      string     `json:"traceId"`
	ID         string     `json:"spanId"`
	Parent     string     `json:"parentSpanId,omitempty"`
	Name       string     `json:"name"`
	Kind       Kind       `json:"kind"`
	Start      time.Time  `json:"start"`
	End        time.Time  `json:"end,omitzero"`
	Status     Status     `json:"status"`
	Attributes Attributes `json:"attributes"`
	Events     []Event    `json:"events,omitempty"`
}

// MarshalJSON writes a span as the package comment says.
func (s Span) MarshalJSON() ([]byte, error) {
	return json.Marshal(record{s.Trace, s.ID, s.Parent, s.Name, s.Kind, s.Start, s.End, s.Status, s.Attributes, s.Events})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (s *Span) UnmarshalJSON(data []byte) error {
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return err
	}
	*s = Span{r.Trace, r.ID, r.Parent, r.Name, r.Kind, r.Start, r.End, r.Attributes, r.Events, r.Status}
	return nil
}

// MarshalJSON writes attributes in the order of their names. A float64 always
// has a point or an exponent, so that it is read as one again.
func (a Attributes) MarshalJSON() ([]byte, error) {
	plain := make(map[string]any, len(a))
	for name, value := range a {
		if f, ok := value.(float64); ok {
			text := strconv.FormatFloat(f, 'g', -1, 64)
			if !strings.ContainsAny(text, ".eIN") {
				text += ".0"
			}
			value = json.RawMessage(text)
		}
		plain[name] = value
	}
	return json.Marshal(plain)
}

// UnmarshalJSON reads attributes; a value that is none is an error.
func (a *Attributes) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var plain map[string]any
	if err := d.Decode(&plain); err != nil {
		return err
	}
	*a = make(Attributes, len(plain))
	for name, value := range plain {
		v, err := attributeValue(value)
		if err != nil {
			return fmt.Errorf("attribute %q: %w", name, err)
		}
		(*a)[name] = v
	}
	return nil
}

// attributeValue is a JSON value as one of an attribute.
func attributeValue(value any) (any, error) {
	switch v := value.(type) {
	case string, bool:
		return v, nil
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return v.Float64()
		}
		return v.Int64()
	case []any:
		list := make([]string, len(v))
		for i, item := range v {
			text, ok := item.(string)
			if !ok {
				return nil, fmt.Errorf("item %d is no text", i)
			}
			list[i] = text
		}
		return list, nil
	}
	return nil, fmt.Errorf("%T is no value", value)
}
