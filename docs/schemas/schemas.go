// Package schemas holds the JSON Schemas (draft 2020-12) of staged research,
// one file each: of what models answer and of what the program writes.
//
// They are for people and for other programs; what is held to them, and how
// its faults are told, is left to package schema.
package schemas

import (
	"embed"
	"strings"
)

//go:embed *.json
var files embed.FS

// Names are the schemas' names in alphabetical order: those of the files,
// without ".json".
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil // an embedded folder can be listed
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".json")
	}
	return names
}

// Text is the schema of a name, as its file has it.
func Text(name string) ([]byte, bool) {
	text, err := files.ReadFile(name + ".json")
	return text, err == nil
}
