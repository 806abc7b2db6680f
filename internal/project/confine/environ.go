package confine

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// passedVariables are the variables that commands of a project may see of the user's: who and
// where they are, in which language, where their toolchains lie and how those
// are set. A name that ends in * stands for all that begin so. Everything else,
// keys and tokens of services nobody has heard of yet among it, stays outside.
const passedVariables = "PATH HOME USER LOGNAME SHELL TERM COLORTERM NO_COLOR TMPDIR TZ LANG LANGUAGE LC_* CI " +
	"HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE " +
	"GOROOT GOPATH GOBIN GOCACHE GOMODCACHE GOFLAGS GOPROXY GONOPROXY GONOSUMDB GOPRIVATE GOSUMDB GOTOOLCHAIN GOWORK GOOS GOARCH GOAMD64 GOARM GOEXPERIMENT GOMAXPROCS " +
	"CGO_ENABLED CGO_CFLAGS CGO_CPPFLAGS CGO_CXXFLAGS CGO_LDFLAGS CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS PKG_CONFIG_PATH MAKEFLAGS " +
	"NODE_PATH NODE_ENV NVM_DIR VOLTA_HOME npm_config_registry NPM_CONFIG_REGISTRY npm_config_cache " +
	"PYTHONPATH PYTHONHASHSEED PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE VIRTUAL_ENV CONDA_PREFIX PYENV_ROOT PYENV_VERSION " +
	"PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS PIP_NO_INDEX PIP_CERT PIP_DEFAULT_TIMEOUT PIP_CACHE_DIR PIP_DISABLE_PIP_VERSION_CHECK UV_INDEX_URL UV_DEFAULT_INDEX " +
	"JAVA_HOME M2_HOME MAVEN_HOME GRADLE_HOME ANDROID_HOME CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN RUSTFLAGS CARGO_BUILD_JOBS CARGO_NET_OFFLINE " +
	"RBENV_ROOT GEM_HOME GEM_PATH DOTNET_ROOT SOURCE_DATE_EPOCH"

// Environ is what of an environment, in the form of os.Environ, commands of a
// project may see, sorted: the list, and what the person names further. A value
// that holds a login, as https://user:password@host does, is not on it.
func Environ(parent, further []string) []string {
	allowed := append(strings.Fields(passedVariables), further...)
	var kept []string
	for _, entry := range parent {
		name, value, ok := strings.Cut(entry, "=")
		if !ok || name == "" || !isListed(allowed, name) || login(value) && !slices.Contains(further, name) {
			continue
		}
		kept = append(kept, entry)
	}
	slices.Sort(kept)
	return kept
}

func isListed(allowed []string, name string) bool {
	return slices.ContainsFunc(allowed, func(a string) bool {
		prefix, open := strings.CutSuffix(a, "*")
		return name == a || open && strings.HasPrefix(name, prefix)
	})
}

// login reports whether a text holds an address with a user in it.
func login(text string) bool {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,|;\t\"'=", r) }) {
		if !strings.Contains(word, "://") {
			continue
		}
		if u, err := url.Parse(word); err != nil || u.User != nil {
			return true
		}
	}
	return false
}

// relocatedVariables are variables that name folders which the box has its own of, below its
// home: there the tools find them without being told.
const relocatedVariables = "TMPDIR GOPATH GOBIN GOCACHE GOMODCACHE CARGO_HOME npm_config_cache PIP_CACHE_DIR GEM_HOME " +
	"HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy"

// toolchainVariables are variables that name what can be read in the box.
const toolchainVariables = "GOROOT JAVA_HOME RUSTUP_HOME VIRTUAL_ENV CONDA_PREFIX PYENV_ROOT NVM_DIR VOLTA_HOME M2_HOME MAVEN_HOME GRADLE_HOME ANDROID_HOME RBENV_ROOT DOTNET_ROOT " +
	"PIP_FIND_LINKS PIP_CERT SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE"

// environment is that of a command inside.
func (b Box) environment() []string {
	var env []string
	goproxy := b.GoProxy
	for _, entry := range Environ(b.Environ, b.Pass) {
		name, value, _ := strings.Cut(entry, "=")
		switch {
		case name == "GOPROXY":
			goproxy = value
		case slices.Contains(strings.Fields(relocatedVariables), name) && !slices.Contains(b.Pass, name), name == "HOME":
		default:
			env = append(env, entry)
		}
	}
	env = append(env, "HOME="+b.Home, "TMPDIR=/tmp", "RUSTUP_HOME="+b.rustup(), "GIT_OPTIONAL_LOCKS=0")
	if goproxy != "" && b.goModules() != "" {
		goproxy = withLocalModules(goproxy)
	}
	if goproxy != "" {
		env = append(env, "GOPROXY="+goproxy)
	}
	return env
}

// variable is a variable of the user's environment.
func (b Box) variable(name string) string {
	for _, entry := range slices.Backward(b.Environ) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

func (b Box) rustup() string {
	if dir := b.variable("RUSTUP_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(b.Home, ".rustup")
}

// withLocalModules adds the modules the user has already to where go looks for them,
// behind the proxies that know the newest: they serve where those cannot be
// reached.
func withLocalModules(goproxy string) string {
	const own = "file://" + modulesInside
	for _, last := range []string{"direct", "off"} {
		if goproxy == last {
			return own + "," + last
		}
		if before, ok := strings.CutSuffix(goproxy, ","+last); ok {
			return before + "|" + own + "," + last
		}
	}
	return goproxy + "|" + own
}
