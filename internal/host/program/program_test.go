package program

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
)

func TestSeatsInheritTheProxyOfTheConfiguration(t *testing.T) {
	e := Env{Environ: []string{"PATH=/bin", "https_proxy=http://old.test:1", "NO_PROXY=a.test"}}
	require.Equal(t, e.Environ, e.seatEnvironment(flow.Network{}))
	require.Equal(t, []string{"PATH=/bin", "NO_PROXY=a.test"}, e.seatEnvironment(flow.Network{Proxy: "none"}))
	require.Equal(t, []string{"PATH=/bin", "NO_PROXY=a.test", "HTTPS_PROXY=http://new.test:2", "HTTP_PROXY=http://new.test:2"},
		e.seatEnvironment(flow.Network{Proxy: "http://new.test:2"}))
}

func TestTheWrappedCodexIsFoundBesideItsWrapper(t *testing.T) {
	modules := filepath.Join(t.TempDir(), "node_modules")
	write := func(path string) string {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, nil, 0o755))
		return path
	}
	found := func(name string) string {
		path, err := Find(name)
		require.NoError(t, err)
		return path
	}
	wrapper := write(filepath.Join(modules, "@openai", "codex", "bin", "codex.js"))
	link := filepath.Join(t.TempDir(), "codex")
	require.NoError(t, os.Symlink(wrapper, link))
	require.Equal(t, link, found(link), "no native one is there")
	arch := strings.Replace(runtime.GOARCH, "amd64", "x64", 1)
	hoisted := write(filepath.Join(modules, "@openai", "codex-"+runtime.GOOS+"-"+arch, "vendor", "some-target", "bin", "codex"))
	require.Equal(t, hoisted, found(link))
	nested := write(filepath.Join(modules, "@openai", "codex", "node_modules", "@openai", "codex-"+runtime.GOOS+"-"+arch, "vendor", "some-target", "bin", "codex"))
	require.Equal(t, nested, found(link), "its own goes before another's")
	require.Equal(t, hoisted, found(hoisted), "a native one is taken as it is")
}
