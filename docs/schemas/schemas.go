// Package schemas holds the JSON Schemas (draft 2020-12) of staged research,
// one file each: of what models answer and of what the program writes.
//
// They are for people and for other programs; what is held to them, and how
// its faults are told, is left to package schema.
package schemas

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed *.json
var files embed.FS

// Names are the schemas' names: those of the files in alphabetical order,
// without ".json".
func Names() []string {
	names, _ := fs.Glob(files, "*.json") // it has no other fault than a bad pattern
	for i, name := range names {
		names[i] = strings.TrimSuffix(name, ".json")
	}
	return names
}

// Text is the schema of a name, as its file has it.
func Text(name string) ([]byte, bool) {
	text, err := files.ReadFile(name + ".json")
	return text, err == nil
}
