package confine

import (
	"bufio"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// toolFolders are the folders in a home that hold programs and no secrets.
const toolFolders = "bin sdk go/bin .cargo/bin .rustup .local/bin .local/lib .local/share/mise .local/share/uv .local/share/pnpm .local/share/fnm .local/pipx " +
	".nvm .fnm .volta .bun .deno .pyenv .rbenv .rvm .asdf .sdkman .jenv .ghcup .opam .elan .dotnet .nix-profile .jbang miniconda3 anaconda3 miniforge3 .juliaup"

// settingFiles are files in a home that say how tools are set, and with which
// logins: the box has copies without those.
const settingFiles = ".npmrc .config/pip/pip.conf .pip/pip.conf .config/uv/uv.toml .config/go/env .cargo/config.toml .cargo/config .gemrc .yarnrc .config/pnpm/rc"

// Places in the box's own folder.
func (b Box) ownHome() string { return filepath.Join(b.Own, "home") }
func (b Box) ownTmp() string  { return filepath.Join(b.Own, "tmp") }

// prepareFolders makes the box's folders, with the user's settings of tools in them.
func (b Box) prepareFolders() error {
	for _, dir := range []string{b.ownHome(), b.ownTmp()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if b.Bare {
		return nil
	}
	root, err := os.OpenRoot(b.ownHome()) // what was run in the box may have laid links
	if err != nil {
		return err
	}
	defer root.Close()
	for name := range strings.FieldsSeq(settingFiles) {
		data, err := os.ReadFile(filepath.Join(b.Home, name))
		if err != nil {
			continue // most have none
		}
		if err := replaceFile(root, name, withoutLogins(data)); err != nil {
			return err
		}
	}
	data, err := os.ReadFile(filepath.Join(b.Home, ".gitconfig"))
	if err != nil {
		data, err = os.ReadFile(filepath.Join(b.Home, ".config", "git", "config"))
	}
	if err != nil {
		return nil
	}
	return replaceFile(root, ".gitconfig", identity(data))
}

// replaceFile writes a file of the box's home anew. Where something else stands in its
// way, what was run in the box has put it there, and lives with it.
func replaceFile(root *os.Root, name string, data []byte) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil
	}
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return root.WriteFile(name, data, 0o600)
}

// withoutLogins drops the lines of a settings file that hold one: npm's
// //host/:_authToken, pip's and cargo's addresses with a user in them, cargo's
// token.
func withoutLogins(data []byte) []byte {
	return lines(data, func(line string) bool {
		return !login(line) && !secretWord().MatchString(line)
	})
}

func secretWord() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(_auth|auth[-_]?token|token|password|passwd|secret|username|api[-_]?key|credential|:_|keyfile|certfile)[^=]*[=:]`)
}

// identity keeps of git's settings who the user is and what a new repository
// looks like: others name programs, logins and keys.
func identity(data []byte) []byte {
	section := ""
	return lines(data, func(line string) bool {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.ToLower(strings.Trim(line, "[] \t"))
		}
		name, _, _ := strings.Cut(line, "=")
		switch section {
		case "user":
			return !strings.EqualFold(strings.TrimSpace(name), "signingkey")
		case "init":
			return !strings.EqualFold(strings.TrimSpace(name), "templatedir")
		}
		return false
	})
}

func lines(data []byte, keep func(string) bool) []byte {
	var b bytes.Buffer
	scan := bufio.NewScanner(bytes.NewReader(data))
	for scan.Scan() {
		if keep(scan.Text()) {
			b.WriteString(scan.Text() + "\n")
		}
	}
	return b.Bytes()
}

// homeMounts is the box's home and temporary folder, and in them what is to be read
// of the user's: toolchains, programs of the PATH, modules that were fetched.
func (b Box) homeMounts() []string {
	words := []string{"--bind", b.ownTmp(), "/tmp", "--bind", b.ownTmp(), "/var/tmp", "--bind", b.ownHome(), b.Home}
	shown := func(path string) {
		if filepath.IsAbs(path) && !isWithin(b.Home, path) && !isWithin(path, "/usr") && !isWithin(path, "/etc") && !isWithin(path, "/opt") && exists(path) {
			words = append(words, "--ro-bind-try", path, path)
		}
	}
	for name := range strings.FieldsSeq(toolFolders) {
		shown(filepath.Join(b.Home, name))
	}
	for name := range strings.FieldsSeq(toolchainVariables) {
		shown(b.variable(name))
	}
	for _, dir := range filepath.SplitList(b.variable("PATH")) {
		if !isWithin(dir, "/bin") && !isWithin(dir, "/sbin") {
			shown(dir)
			shown(toolFolderOf(dir))
		}
	}
	if modules := b.goModules(); modules != "" {
		words = append(words, "--ro-bind", modules, modulesInside)
	}
	return words
}

// toolFolderOf is the folder of tools that a folder of the PATH is part of, in whoever's
// home: what stands in it needs what stands beside it, as a version manager's shims
// do. It is "" for none.
func toolFolderOf(dir string) string {
	for at := dir; filepath.Dir(at) != at; at = filepath.Dir(at) {
		if name := filepath.Base(at); strings.HasPrefix(name, ".") && slices.Contains(strings.Fields(toolFolders), name) {
			return at
		}
	}
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// goModules is the folder of the modules that go has fetched for the user; ""
// for none.
func (b Box) goModules() string {
	dir := b.variable("GOMODCACHE")
	if dir == "" {
		first, _, _ := strings.Cut(b.variable("GOPATH"), string(filepath.ListSeparator))
		if first == "" {
			first = filepath.Join(b.Home, "go")
		}
		dir = filepath.Join(first, "pkg", "mod")
	}
	if dir = filepath.Join(dir, "cache", "download"); !filepath.IsAbs(dir) || !exists(dir) {
		return ""
	}
	return dir
}
