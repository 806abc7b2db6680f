// Package secret finds secrets in what is added to a project: keys, tokens and
// passwords that give whoever reads them a right.
//
// A find names file, line and kind, never the secret; what prints one prints no
// secret. Values that makers document as examples, and what stands in for a
// value, are none. What was in the project before is not looked for: it is out.
//
// The forms of tokens are those of gitleaks (github.com/gitleaks/gitleaks,
// config/gitleaks.toml, 8.30, MIT licence), without its looser rules for names
// in code. As a library it brings some two hundred modules.
package secret

import (
	"bytes"
	"fmt"
	"math"
	"path"
	"regexp"
	"strings"
	"sync"
)

// File is one that was changed.
type File struct {
	Path    string // with slashes
	Was, Is []byte // before and now
}

// Match is a secret that was found.
type Match struct {
	Path  string
	Line  int    // from 1
	Kind  string // of secret, in words
	value string
}

// String says where what was found, and not the secret.
func (f Match) String() string { return fmt.Sprintf("%s:%d: %s", f.Path, f.Line, f.Kind) }

// GoString is String: no way of printing shows the secret.
func (f Match) GoString() string { return f.String() }

// Format is String: no way of printing shows the secret.
func (f Match) Format(s fmt.State, _ rune) { _, _ = s.Write([]byte(f.String())) }

// NewSecrets are the secrets in files that none of them held before, in the order of
// the files and lines.
func NewSecrets(files []File) []Match {
	var finds []Match
	for _, f := range files {
		for _, at := range findInFile(f.Path, f.Is) {
			if !known(files, at.value) {
				finds = append(finds, at)
			}
		}
	}
	return finds
}

func known(files []File, value string) bool {
	for _, f := range files {
		if bytes.Contains(f.Was, []byte(value)) {
			return true
		}
	}
	return false
}

// Redact is a text with what was found in it taken out.
func Redact(text []byte, finds []Match) []byte {
	for _, f := range finds {
		text = bytes.ReplaceAll(text, []byte(f.value), []byte("[a secret was here]"))
	}
	return text
}

// rule is a form of secrets. The first group is the secret.
type rule struct {
	kind       string
	form       *regexp.Regexp
	minEntropy float64 // the least entropy of the value, in bits a byte
}

// tokenRules are the forms that tell by themselves whose secret it is.
var tokenRules = sync.OnceValue(func() []rule {
	form := regexp.MustCompile
	return []rule{
		{"a private key", form(`(?i)(-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----[\s\S]{40,}?-----END[ A-Z0-9_-]{0,100}KEY(?: BLOCK)?-----)`), 0},
		{"an age key", form(`\b(AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58})`), 0},
		{"an AWS access key", form(`\b((?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})\b`), 3},
		{"an AWS secret key", form(`(?i)aws[\w.-]{0,20}secret[\w.-]{0,20}['"]?\s*[:=]\s*['"]?([a-z0-9/+=]{40})(?:[^a-z0-9/+=]|$)`), 4},
		{"a GitHub token", form(`\b((?:ghp|gho|ghu|ghs|ghr)_[0-9A-Za-z]{36,}|github_pat_\w{82})`), 3},
		{"a GitLab token", form(`\b(glpat-[\w-]{20,})`), 3},
		{"a Slack token", form(`\b(xox[abeprs]-[0-9]{10,13}-[0-9A-Za-z-]{10,}|(?i:xapp-\d-[A-Z0-9]+-\d+-[a-z0-9]+))`), 3},
		{"a Slack webhook", form(`(hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{43,56})`), 3.5},
		{"a Stripe key", form(`\b((?:sk|rk)_(?:test|live|prod)_[a-zA-Z0-9]{16,99})\b`), 3},
		{"a Google API key", form(`\b(AIza[\w-]{35})(?:[^\w-]|$)`), 4},
		{"an OpenAI key", form(`\b(sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,}|sk-[a-zA-Z0-9]{20}T3BlbkFJ[a-zA-Z0-9]{20})`), 3},
		{"an Anthropic key", form(`\b(sk-ant-[a-z]+[0-9]{2}-[a-zA-Z0-9_-]{80,})`), 3},
		{"an npm token", form(`\b(npm_[A-Za-z0-9]{36})\b`), 3},
		{"a PyPI token", form(`\b(pypi-AgEIcHlwaS5vcmc[\w-]{50,1000})`), 3},
		{"a SendGrid key", form(`\b(SG\.[A-Za-z0-9=_-]{20,24}\.[A-Za-z0-9=_-]{40,46})`), 3},
		{"a Hugging Face token", form(`\b(hf_[A-Za-z]{34})\b`), 3},
		{"a DigitalOcean token", form(`\b(do[por]_v1_[a-f0-9]{64})\b`), 3},
		{"a Databricks token", form(`\b(dapi[a-f0-9]{32}(?:-\d)?)\b`), 3},
		{"a Vault token", form(`\b(hvs\.[\w-]{90,120})`), 3.5},
		{"a JSON Web Token", form(`\b(ey[a-zA-Z0-9_-]{17,}\.ey[a-zA-Z0-9_-]{17,}\.[a-zA-Z0-9_-]{20,})`), 3},
		{"a password in an address", form(`(?i)\b(?:https?|ftp|postgres(?:ql)?|mysql|mongodb(?:\+srv)?|amqps?|redis)://[^\s:/@'"]{1,64}:([^\s:/@'"$<{]{8,128})@`), 3.2},
	}
})

// assignmentRules are the lines of files in which people keep secrets: NAME=VALUE, and the
// words of a .netrc.
var assignmentRules = sync.OnceValue(func() []rule {
	form := regexp.MustCompile
	return []rule{
		{"a secret value", form(`(?im)^\s*(?:export\s+)?[\w./:@-]*(?:key|token|secret|passw(?:or)?d|passphrase|pwd|auth|credentials?)\w*["']?\s*[:=]\s*["']?([^\s"'#]{12,})["']?`), 3},
		{"a password", form(`(?im)\bpassword\s+(\S{8,})`), 2.5},
		{"a secret value", form(`(?im)://[^\s:/@]+:([^\s:/@]{8,})@`), 2.5},
	}
})

// isSecretFile reports whether a file is one in which people keep secrets. One that
// shows the form alone is not.
func isSecretFile(name string) bool {
	base := strings.ToLower(path.Base(name))
	switch base {
	case ".npmrc", ".netrc", "_netrc", ".pypirc", ".git-credentials", ".pgpass", ".htpasswd", "credentials.json":
		return true
	}
	for part := range strings.SplitSeq(base, ".") {
		switch part {
		case "example", "sample", "template", "dist", "defaults":
			return false
		}
	}
	return base == ".env" || strings.HasPrefix(base, ".env.") || strings.HasSuffix(base, ".env")
}

// findInFile finds what looks like secrets in a file.
func findInFile(name string, text []byte) []Match {
	finds := matchRules(nil, tokenRules(), name, text)
	if isSecretFile(name) {
		finds = matchRules(finds, assignmentRules(), name, text)
	}
	return finds
}

func matchRules(finds []Match, by []rule, name string, text []byte) []Match {
	for _, r := range by {
		for _, at := range r.form.FindAllSubmatchIndex(text, -1) {
			value := string(text[at[2]:at[3]])
			if entropy(value) < r.minEntropy || isPlaceholder(value) || covered(finds, value) {
				continue
			}
			finds = append(finds, Match{name, 1 + bytes.Count(text[:at[2]], []byte("\n")), r.kind, value})
		}
	}
	return finds
}

// covered reports whether a value is found already, alone or in another.
func covered(finds []Match, value string) bool {
	for _, f := range finds {
		if strings.Contains(f.value, value) || strings.Contains(value, f.value) {
			return true
		}
	}
	return false
}

// isPlaceholder reports whether a value stands in for another, or is a documented
// example: AWS's keys end in EXAMPLE or hold EXAMPLEKEY.
func isPlaceholder(value string) bool {
	low := strings.ToLower(value)
	for _, word := range []string{"example", "placeholder", "changeme", "change-me", "change_me", "replace", "dummy", "your-", "your_", "yourkey", "redacted", "xxxx", "****", "....", "${", "{{", "<", "$("} {
		if strings.Contains(low, word) {
			return true
		}
	}
	return strings.HasPrefix(value, "$") || strings.HasPrefix(value, "%") || strings.HasPrefix(low, "process.env") || documented(value)
}

// documented are values that everybody knows: the token on jwt.io's first page.
func documented(value string) bool {
	return strings.Contains(value, "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lI")
}

// entropy is the entropy of a text after Shannon, in bits a byte.
func entropy(text string) float64 {
	var count [256]int
	for i := range len(text) {
		count[text[i]]++
	}
	sum := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(text))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}
