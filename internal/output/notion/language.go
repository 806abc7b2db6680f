package notion

import "strings"

const plainText = "plain text"

// languages are those Notion knows for code, one a line as its names have
// blanks. From its documentation of blocks.
const languages = `
abap
arduino
bash
basic
c
clojure
coffeescript
c++
c#
css
dart
diff
docker
elixir
elm
erlang
flow
fortran
f#
gherkin
glsl
go
graphql
groovy
haskell
html
java
javascript
json
julia
kotlin
latex
less
lisp
livescript
lua
makefile
markdown
markup
matlab
mermaid
nix
objective-c
ocaml
pascal
perl
php
plain text
powershell
prolog
protobuf
python
r
reason
ruby
rust
sass
scala
scheme
scss
shell
sql
swift
typescript
vb.net
verilog
vhdl
visual basic
webassembly
xml
yaml
`

// language is Notion's name of the language a fence names.
func language(fence []byte) string {
	name := strings.ToLower(string(fence))
	if other, ok := languageAlias(name); ok {
		return other
	}
	if name != "" && !strings.Contains(name, "\n") && strings.Contains(languages, "\n"+name+"\n") {
		return name
	}
	return plainText
}

// languageAlias is Notion's name of what fences mostly call otherwise.
func languageAlias(name string) (string, bool) {
	other, ok := map[string]string{
		"js": "javascript", "jsx": "javascript", "mjs": "javascript", "ts": "typescript", "tsx": "typescript",
		"py": "python", "python3": "python", "rb": "ruby", "rs": "rust", "golang": "go", "kt": "kotlin", "hs": "haskell",
		"cpp": "c++", "cxx": "c++", "h": "c", "hpp": "c++", "cs": "c#", "csharp": "c#", "fs": "f#", "fsharp": "f#", "objc": "objective-c",
		"sh": "shell", "zsh": "shell", "console": "shell", "shell-session": "shell", "ps1": "powershell", "pwsh": "powershell",
		"yml": "yaml", "jsonc": "json", "json5": "json", "jsonl": "json", "htm": "html", "svg": "xml", "md": "markdown", "tex": "latex",
		"dockerfile": "docker", "make": "makefile", "proto": "protobuf", "wasm": "webassembly", "vb": "visual basic", "patch": "diff", "pl": "perl",
	}[name]
	return other, ok
}
