package claim

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// RegistryFile is the name of a run's registry, in its folder and among what a
// seat is given.
const RegistryFile = "registry.json"

// ParseRegistry reads a registry: an object, or a bare array of entries as
// earlier versions wrote it. Nothing at all is an empty registry.
func ParseRegistry(data []byte) (Registry, error) {
	var r Registry
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return r, nil
	}
	into := any(&r)
	if data[0] == '[' {
		into = &r.Entries
	}
	if err := json.Unmarshal(data, into); err != nil {
		return Registry{}, fmt.Errorf("read registry: %w", err)
	}
	return r, nil
}

// Entry finds an entry by its id.
func (r Registry) Entry(id string) (Entry, bool) {
	for _, e := range r.Entries {
		if e.ID == id {
			return e, true
		}
	}
	return Entry{}, false
}
