package survey

import (
	"strings"
	"sync"
)

// word is what a word of a text says.
type word struct {
	branch  bool
	main    bool // before a parenthesis it may start a program
	subject subject
}

const longestWord = 24 // bytes

// subjectWords are the words that are looked for in texts, in lower case.
var subjectWords = sync.OnceValue(func() map[string]word {
	all := map[string]word{"main": {main: true}}
	add := func(w word, list string) {
		for _, name := range strings.Fields(list) {
			all[name] = w
		}
	}
	add(word{branch: true}, "if elif elsif elseif unless for foreach while until loop case when catch except rescue goto switch select match guard")
	add(word{subject: auth}, "authenticate authorize authorization jwt oauth saml ldap session_id setcookie csrf")
	add(word{subject: crypto}, "crypto cipher aes rsa hmac md5 sha1 x509 openssl bcrypt scrypt insecureskipverify")
	add(word{subject: exec}, "exec execve execl execvp popen subprocess system spawn processbuilder child_process shell_exec eval shell_true os_exec")
	add(word{subject: query}, "executequery rawquery preparestatement createquery rawsql execsql queryrow cursor")
	add(word{subject: parse}, "unmarshal deserialize unserialize pickle readobject yaml_load xmlreader documentbuilder objectinputstream unzip")
	add(word{subject: upload}, "multipart upload download tempfile mktemp symlink")
	add(word{subject: secret}, "password passwd api_key apikey secret_key access_token private_key credentials")
	add(word{subject: template}, "innerhtml dangerouslysetinnerhtml v_html render_template_string template_string mark_safe html_safe")
	add(word{subject: memory}, "unsafe malloc realloc memcpy memmove strcpy strcat alloca unsafepointer transmute")
	add(word{subject: network}, "listenandserve urlopen socket bind accept webhook")
	add(word{subject: privilege}, "setuid setgid seteuid chmod chown chroot sudo capability setresuid")
	return all
})

// pathStem is the beginning of a word of a path, and what it is about.
type pathStem struct {
	begins  string
	subject subject
}

var pathStems = sync.OnceValue(func() []pathStem {
	var all []pathStem
	add := func(s subject, list string) {
		for _, name := range strings.Fields(list) {
			all = append(all, pathStem{name, s})
		}
	}
	add(auth, "auth login logout session jwt oauth sso saml ldap cookie csrf cors captcha")
	add(crypto, "crypt cipher encrypt decrypt tls ssl x509 cert signature signing hmac pki")
	add(exec, "exec shell subprocess spawn sandbox eval command")
	add(query, "sql query queries database migrat orm")
	add(parse, "pars decod deserial unmarshal codec lexer tokeniz unpack unzip")
	add(upload, "upload download attachment archive")
	add(secret, "secret credential passwd password vault token keystore keyring")
	add(hook, "hook webhook callback plugin")
	add(template, "templat render sanitiz escap xss")
	add(memory, "unsafe alloc buffer ffi")
	add(network, "http server proxy gateway router handler middleware socket redirect listener endpoint")
	add(privilege, "admin permission acl rbac policy polici guard privilege role sudo")
	add(payment, "payment billing checkout invoice wallet")
	return all
})

// pathSubjects is what the words of a path are about.
func pathSubjects(p string) subject {
	var set subject
	for from := 0; from < len(p); {
		for from < len(p) && !letter(p[from]) {
			from++
		}
		to := from
		for to < len(p) && letter(p[to]) && (to == from || !upper(p[to]) || upper(p[to-1])) {
			to++
		}
		set |= wordSubjects(strings.ToLower(p[from:to]))
		from = to
	}
	return set
}

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }

func wordSubjects(w string) subject {
	if len(w) < 3 || strings.HasPrefix(w, "author") && !strings.HasPrefix(w, "authori") {
		return 0
	}
	for _, s := range pathStems() {
		if w[0] == s.begins[0] && strings.HasPrefix(w, s.begins) {
			return s.subject
		}
	}
	return 0
}
