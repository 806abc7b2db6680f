package agent

import "strings"

// Vendors whose logins and endpoints [Environ] knows.
const (
	Anthropic = "anthropic"
	OpenAI    = "openai"
	Google    = "google"
)

// basicVariables are what any program needs to find its files, its language and its
// way through a proxy. A name that ends in * stands for all that begin so.
const basicVariables = "PATH HOME USER LOGNAME SHELL TERM COLORTERM TMPDIR TZ LANG LANGUAGE LC_* XDG_* " +
	"SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS " +
	"HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy"

// vendorVariables are each one's keys, endpoints, logins and providers.
var vendorVariables = map[string]string{
	Anthropic: "ANTHROPIC_* CLAUDE_CONFIG_DIR CLAUDE_CODE_OAUTH_TOKEN CLAUDE_CODE_API_KEY_HELPER_TTL_MS " +
		"CLAUDE_CODE_USE_BEDROCK CLAUDE_CODE_USE_VERTEX CLAUDE_CODE_USE_FOUNDRY " +
		"CLAUDE_CODE_SKIP_BEDROCK_AUTH CLAUDE_CODE_SKIP_VERTEX_AUTH CLAUDE_CODE_SKIP_FOUNDRY_AUTH " +
		"CLAUDE_CODE_CLIENT_CERT CLAUDE_CODE_CLIENT_KEY CLAUDE_CODE_CLIENT_KEY_PASSPHRASE " +
		"CLAUDE_CODE_MAX_RETRIES API_TIMEOUT_MS IS_SANDBOX",
	OpenAI: "OPENAI_* CODEX_API_KEY CODEX_HOME CODEX_CA_CERTIFICATE",
	Google: "GEMINI_API_KEY GEMINI_API_KEY_AUTH_MECHANISM GEMINI_CLI_HOME GOOGLE_* CLOUDSDK_CONFIG",
}

// cloudProviders are the clouds Claude can be served from: their own logins are
// inherited only where the switch is on.
var cloudProviders = map[string]string{
	"CLAUDE_CODE_USE_BEDROCK": "AWS_*",
	"CLAUDE_CODE_USE_VERTEX": "CLOUD_ML_REGION VERTEX_REGION_* CLOUDSDK_CONFIG " +
		"GOOGLE_APPLICATION_CREDENTIALS GOOGLE_CLOUD_PROJECT GOOGLE_CLOUD_QUOTA_PROJECT",
	"CLAUDE_CODE_USE_FOUNDRY": "AZURE_*",
}

// Environ is what a seat may inherit of parent, which is in the form of
// os.Environ. It is an allow-list: the basics, and what belongs to the seat's
// own vendor ("" for none). No seat sees another vendor's key, nor anything
// that would make a CLI take itself for a part of the session above it.
func Environ(parent []string, vendor string) map[string]string {
	given := make(map[string]string, len(parent))
	for _, entry := range parent {
		if name, value, ok := strings.Cut(entry, "="); ok && name != "" {
			given[name] = value
		}
	}
	allowed := strings.Fields(basicVariables + " " + vendorVariables[vendor])
	if vendor == Anthropic {
		allowed = append(allowed, clouds(given)...)
	}
	kept := make(map[string]string)
	for name, value := range given {
		if matches(allowed, name) {
			kept[name] = value
		}
	}
	return kept
}

func clouds(given map[string]string) []string {
	var names []string
	for use, list := range cloudProviders {
		switch strings.ToLower(given[use]) {
		case "", "0", "false", "no", "off":
		default:
			names = append(names, strings.Fields(list)...)
		}
	}
	return names
}

func matches(allowed []string, name string) bool {
	for _, a := range allowed {
		prefix, open := strings.CutSuffix(a, "*")
		if name == a || open && strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
