// Package prompts holds the texts that seats and the host's session are asked
// with, one Markdown file each.
//
// A file begins with YAML front matter: the role it is for, what it reads and
// writes, and the placeholders it uses, which a test holds against its text.
// Filling the placeholders is left to package prompt.
package prompts

import (
	"bytes"
	"embed"
	"fmt"
	"strings"

	"github.com/adrg/frontmatter"
)

//go:embed *.md
var files embed.FS

// front is what a prompt file says of itself.
type front struct {
	Role         string   `yaml:"role"`
	Reads        []string `yaml:"reads"`
	Writes       []string `yaml:"writes"`
	Placeholders []string `yaml:"placeholders"`
}

// Text is the prompt of a name, without its front matter and with its
// placeholders unfilled. The names are those of the files, without ".md".
func Text(name string) (string, error) {
	_, text, err := read(name)
	return text, err
}

func read(name string) (front, string, error) {
	data, err := files.ReadFile(name + ".md")
	if err != nil {
		return front{}, "", fmt.Errorf("read prompt %q: %w", name, err)
	}
	var f front
	text, err := frontmatter.MustParse(bytes.NewReader(data), &f)
	if err != nil {
		return front{}, "", fmt.Errorf("read prompt %q: front matter: %w", name, err)
	}
	return f, strings.TrimSpace(string(text)) + "\n", nil
}
