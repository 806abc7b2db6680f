package servers_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// searx is the real searx of Debian's packages, whose JSON SearXNG has kept. Its one
// engine leads to the fake web.
func (h *house) searx() string {
	h.Helper()
	program, err := exec.LookPath("searx-run")
	if err != nil {
		h.Skip("searx is not installed (Debian's package searx)")
	}
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.asked.Add(1)
		var hits []map[string]string
		for _, p := range pages() {
			hits = append(hits, map[string]string{"u": h.web.Direct(p.URL), "t": "About <b>kettles</b>", "c": "Asked for " + r.URL.Query().Get("q")})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"hits": hits})
	}))
	h.Cleanup(engine.Close)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(h, err)
	port := l.Addr().(*net.TCPAddr).Port
	require.NoError(h, l.Close())
	settings := filepath.Join(h.dir, "searx.yml")
	require.NoError(h, os.WriteFile(settings, fmt.Appendf(nil, searxSettings, port, engine.URL), 0o600))
	cmd := exec.CommandContext(h.Context(), program)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + filepath.Join(h.dir, "home"), "LANG=C.UTF-8", "SEARX_SETTINGS_PATH=" + settings}
	out, err := cmd.StderrPipe()
	require.NoError(h, err)
	require.NoError(h, cmd.Start())
	h.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	var said strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "Running on") {
			go func() { _, _ = io.Copy(io.Discard, out) }() // until it ends with the test
			return fmt.Sprintf("http://127.0.0.1:%d", port)
		}
	}
	h.Fatalf("searx does not begin: %s", said.String())
	return ""
}

// searxSettings are the settings of a searx, whole: port, address of its engine.
const searxSettings = `general: {debug: false, instance_name: searx, contact_url: false, enable_stats: false}
brand: {git_url: "", git_branch: "", issue_url: "", docs_url: "", public_instances: "", wiki_url: "", twitter_url: ""}
search: {safe_search: 0, autocomplete: "", default_lang: "", ban_time_on_fail: 5, max_ban_time_on_fail: 120}
server: {port: %d, bind_address: 127.0.0.1, secret_key: for-a-test, base_url: false, image_proxy: false, http_protocol_version: "1.0", method: GET, default_http_headers: {}}
ui: {static_path: /usr/share/python3-searx/static, templates_path: /usr/share/python3-searx/templates, default_theme: oscar, default_locale: "", theme_args: {oscar_style: logicodev}}
outgoing: {request_timeout: 5.0, useragent_suffix: "", pool_connections: 10, pool_maxsize: 10, enable_http2: false}
engines:
  - {name: pages, shortcut: pg, engine: json_engine, categories: general, paging: false, search_url: "%s/?q={query}", results_query: hits, url_query: u, title_query: t, content_query: c, disabled: false, timeout: 5.0, enable_http: true}
locales: {en: English}
doi_resolvers: {doi.org: "https://doi.org/"}
default_doi_resolver: doi.org
checker: {off_when_debug: true, tests: {}, additional_tests: {}}
`

func TestACouncilSearchesByTheRealSearX(t *testing.T) {
	h := newHouse(t, "")
	h.configure("seats: [north]\n" + families(t, map[string]*researcher{"north": newResearcher("kettle steel", "steel")}) + "network: {pace: 1ms}\nsearch:\n  engines: [searxng]\n  services: {searxng: {url: \"" + h.searx() + "\"}}\n")
	h.done("run", "What are kettles made of, and what breaks first?")
	require.Contains(t, h.file("final-report.md"), "0.6 millimetres")
	require.Positive(t, h.asked.Load())
	require.Zero(t, h.abroad.Load())
}
