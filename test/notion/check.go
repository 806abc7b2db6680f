package notiontest

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
)

// Limits of the API on what is sent.
const (
	mostBytes    = 500_000
	mostChildren = 100
	mostElements = 1000
	mostRuns     = 100
	mostUnits    = 2000
	mostLevels   = 2
)

// languages are those code may be in.
const languages = "abap,arduino,bash,basic,c,clojure,coffeescript,c++,c#,css,dart,diff,docker,elixir,elm,erlang,flow,fortran,f#,gherkin,glsl,go," +
	"graphql,groovy,haskell,html,java,javascript,json,julia,kotlin,latex,less,lisp,livescript,lua,makefile,markdown,markup,matlab,mermaid,nix," +
	"objective-c,ocaml,pascal,perl,php,plain text,powershell,prolog,protobuf,python,r,reason,ruby,rust,sass,scala,scheme,scss,shell,sql,swift," +
	"typescript,vb.net,verilog,vhdl,visual basic,webassembly,xml,yaml,java/c/c++/c#"

// fields are the types of blocks that may be sent, and what each may have.
func fields(kind string) (required, optional []string, known bool) {
	switch kind {
	case "paragraph", "bulleted_list_item", "numbered_list_item", "quote":
		return []string{"rich_text"}, []string{"color", "children"}, true
	case "heading_1", "heading_2", "heading_3":
		return []string{"rich_text"}, []string{"color", "is_toggleable"}, true
	case "to_do":
		return []string{"rich_text"}, []string{"checked", "color", "children"}, true
	case "code":
		return []string{"rich_text", "language"}, []string{"caption"}, true
	case "divider":
		return nil, nil, true
	case "table":
		return []string{"table_width", "children"}, []string{"has_column_header", "has_row_header"}, true
	case "table_row":
		return []string{"cells"}, nil, true
	}
	return nil, nil, false
}

// checker goes through the blocks of one request.
type checker struct {
	elements int
	unliked  string
	badLinks int
}

// check says what is wrong with blocks that are to go below a node.
func (s *Server) check(parent *node, sent map[string]any) *problem {
	for key := range sent {
		if key != "children" {
			return invalid("body failed validation: body.%s should be not present.", key)
		}
	}
	blocks, ok := sent["children"].([]any)
	if !ok || len(blocks) == 0 {
		return invalid("body failed validation: body.children should be defined, instead was `undefined`.")
	}
	width := 0
	if parent.kind == "table" {
		w, _ := parent.body["table_width"].(float64)
		width = int(w)
	}
	if _, optional, _ := fields(parent.kind); parent.kind != "page" && width == 0 && !slices.Contains(optional, "children") {
		return invalid("Block does not support children.")
	}
	c := &checker{unliked: s.unliked}
	if p := c.blocks(blocks, "body.children", mostLevels, width); p != nil {
		return p
	}
	if c.elements > mostElements {
		return invalid("body failed validation: body.children has more than 1000 block elements.")
	}
	if c.badLinks > 0 {
		return invalid("Content creation Failed. Fix the following: %s", strings.Repeat("\nInvalid URL for link.", c.badLinks))
	}
	return nil
}

// blocks looks at a list of blocks. Levels is how many more may be in them;
// width the columns of the table they are rows of, 0 outside of one.
func (c *checker) blocks(blocks []any, at string, levels, width int) *problem {
	if len(blocks) > mostChildren {
		return invalid("body failed validation: %s.length should be ≤ `100`, instead was `%d`.", at, len(blocks))
	}
	for _, b := range blocks {
		block, _ := b.(map[string]any)
		if p := c.block(block, at+"[]", levels, width); p != nil {
			return p
		}
	}
	return nil
}

// typeOf is the type of a block: what it says, else its one field of a type.
func typeOf(block map[string]any) string {
	if named, ok := block["type"].(string); ok {
		return named
	}
	for key := range block {
		if key != "object" {
			return key
		}
	}
	return ""
}

// foreign reports whether a block has a field it may not have.
func foreign(block map[string]any, kind string) bool {
	for key := range block {
		if key != "object" && key != "type" && key != kind {
			return true
		}
	}
	return false
}

func (c *checker) block(block map[string]any, at string, levels, width int) *problem {
	c.elements++
	kind := typeOf(block)
	body, ok := block[kind].(map[string]any)
	required, optional, known := fields(kind)
	object, hasObject := block["object"]
	switch {
	case !ok || !known || hasObject && object != "block" || foreign(block, kind):
		return invalid("body failed validation. Fix one: %s.paragraph should be defined, instead was `undefined`.", at)
	case (width > 0) != (kind == "table_row"):
		return invalid("body failed validation: %s: rows stand in tables, and nothing else does.", at)
	}
	at += "." + kind
	for _, key := range required {
		if _, ok := body[key]; !ok {
			return invalid("body failed validation: %s.%s should be defined, instead was `undefined`.", at, key)
		}
	}
	for key := range body {
		if !slices.Contains(required, key) && !slices.Contains(optional, key) {
			return invalid("body failed validation: %s.%s should be not present.", at, key)
		}
	}
	return c.body(kind, body, at, levels, width)
}

func (c *checker) body(kind string, body map[string]any, at string, levels, width int) *problem {
	if p := c.values(kind, body, at, width); p != nil {
		return p
	}
	children, ok := body["children"].([]any)
	switch {
	case !ok && body["children"] != nil:
		return invalid("body failed validation: %s.children should be an array.", at)
	case !ok:
		return nil
	case levels == 0:
		return invalid("body failed validation: %s.children should be not present, instead was `[{...`.", at)
	case kind != "table":
		return c.blocks(children, at+".children", levels-1, 0)
	}
	columns, _ := body["table_width"].(float64)
	if columns < 1 || columns != float64(int(columns)) || len(children) == 0 {
		return invalid("body failed validation: %s.children.length should be ≥ `1`, instead was `%d`.", at, len(children))
	}
	return c.blocks(children, at+".children", levels-1, int(columns))
}

// values looks at what a block has beside children.
func (c *checker) values(kind string, body map[string]any, at string, width int) *problem {
	switch kind {
	case "divider", "table":
		return nil
	case "code":
		if name, _ := body["language"].(string); !slices.Contains(strings.Split(languages, ","), name) {
			return invalid("body failed validation: %s.language should be `\"abap\"`, `\"arduino\"`, …, instead was `%q`.", at, name)
		}
	case "to_do":
		if _, ok := body["checked"].(bool); !ok && body["checked"] != nil {
			return invalid("body failed validation: %s.checked should be a boolean.", at)
		}
	case "table_row":
		return c.cells(body, at, width)
	}
	runs, ok := body["rich_text"].([]any)
	if !ok {
		return invalid("body failed validation: %s.rich_text should be an array.", at)
	}
	return c.runs(runs, at+".rich_text")
}

func (c *checker) cells(body map[string]any, at string, width int) *problem {
	cells, ok := body["cells"].([]any)
	if !ok || len(cells) != width {
		return invalid("Number of cells in table row must match the table width of the parent table")
	}
	for _, cell := range cells {
		runs, ok := cell.([]any)
		if !ok {
			return invalid("body failed validation: %s.cells[] should be an array.", at)
		}
		if p := c.runs(runs, at+".cells[]"); p != nil {
			return p
		}
	}
	return nil
}

// runs looks at stretches of text.
func (c *checker) runs(runs []any, at string) *problem {
	if len(runs) > mostRuns {
		return invalid("body failed validation: %s.length should be ≤ `100`, instead was `%d`.", at, len(runs))
	}
	for _, r := range runs {
		run, _ := r.(map[string]any)
		text, ok := run["text"].(map[string]any)
		content, isString := text["content"].(string)
		if !ok || !isString || run["type"] != "text" {
			return invalid("body failed validation. Fix one: %s[].text should be defined, instead was `undefined`.", at)
		}
		if n := len(utf16.Encode([]rune(content))); n > mostUnits {
			return invalid("body failed validation: %s[].text.content.length should be ≤ `2000`, instead was `%d`.", at, n)
		}
		if p := c.run(run, text, at); p != nil {
			return p
		}
	}
	return nil
}

// run looks at all of a stretch but its words.
func (c *checker) run(run, text map[string]any, at string) *problem {
	for key := range run {
		if !slices.Contains([]string{"type", "text", "annotations"}, key) {
			return invalid("body failed validation: %s[].%s should be not present.", at, key)
		}
	}
	styles, _ := run["annotations"].(map[string]any)
	for key, value := range styles {
		if _, on := value.(bool); !on || !slices.Contains([]string{"bold", "italic", "strikethrough", "underline", "code"}, key) {
			return invalid("body failed validation: %s[].annotations.%s should be a boolean.", at, key)
		}
	}
	for key := range text {
		if key != "content" && key != "link" {
			return invalid("body failed validation: %s[].text.%s should be not present.", at, key)
		}
	}
	link, linked := text["link"].(map[string]any)
	if !linked {
		return nil
	}
	address, ok := link["url"].(string)
	if !ok || len(link) != 1 || len(address) > mostUnits {
		return invalid("body failed validation: %s[].text.link.url.length should be ≤ `2000`.", at)
	}
	if !c.likes(address) {
		c.badLinks++
	}
	return nil
}

// likes reports whether Notion takes an address for one.
func (c *checker) likes(address string) bool {
	u, err := url.Parse(address)
	odd := strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' })
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && !odd &&
		(c.unliked == "" || !strings.Contains(address, c.unliked))
}
