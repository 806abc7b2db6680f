package flow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
)

// Own is what a product says of itself in a fact: one value under the product's
// name, which the engine carries and does not read. The zero value says
// nothing. Copies share what they hold.
type Own struct{ held *held }

// held is a value as JSON, as Go has it, or both.
type held struct {
	name string

	mu    sync.Mutex
	raw   json.RawMessage // nil once the value is there
	value any             // a pointer; nil until somebody has asked for it
}

// Hold keeps a product's value, a pointer, under its name. A nil pointer is
// nothing to say.
func Hold[T any](name string, value *T) Own {
	if value == nil {
		return Own{}
	}
	return Own{&held{name: name, value: value}}
}

// Held is the value kept under a name; nil where nothing is, or what is no T.
func Held[T any](o Own, name string) *T {
	if o.held == nil || o.held.name != name {
		return nil
	}
	o.held.mu.Lock()
	defer o.held.mu.Unlock()
	if o.held.value == nil {
		value := new(T)
		if json.Unmarshal(o.held.raw, value) != nil {
			return nil
		}
		o.held.raw, o.held.value = nil, value
	}
	value, _ := o.held.value.(*T)
	return value
}

// IsZero reports whether nothing is said.
func (o Own) IsZero() bool { return o.held == nil }

// MarshalJSON writes {"name": value}.
func (o Own) MarshalJSON() ([]byte, error) {
	if o.held == nil {
		return []byte("null"), nil
	}
	o.held.mu.Lock()
	defer o.held.mu.Unlock()
	value := o.held.value
	if value == nil {
		value = o.held.raw
	}
	return json.Marshal(map[string]any{o.held.name: value})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (o *Own) UnmarshalJSON(data []byte) error {
	if bytes.Equal(data, []byte("null")) {
		o.held = nil
		return nil
	}
	var named map[string]json.RawMessage
	if err := json.Unmarshal(data, &named); err != nil {
		return err
	}
	if len(named) != 1 {
		return fmt.Errorf("a product's own part has %d names, it has one", len(named))
	}
	for name, raw := range named {
		o.held = &held{name: name, raw: raw}
	}
	return nil
}
