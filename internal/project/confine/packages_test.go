package confine_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/project/confine"
)

// write writes a file, with the folders it lies in.
func write(t *testing.T, text string, mode os.FileMode, path ...string) string {
	t.Helper()
	name := filepath.Join(path...)
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(text), mode))
	return name
}

func TestPackagesComeFromWhereTheClientsSay(t *testing.T) {
	home, bin, project := t.TempDir(), t.TempDir(), t.TempDir()
	b := confine.Box{Home: home, Project: project, Environ: []string{"PATH=" + bin, "HOME=" + home}}
	require.Equal(t, confine.Packages{}, b.AskPackages(t.Context()), "nothing is there, and nothing is known by heart")

	write(t, "#!/bin/sh\n[ \"$*\" = 'env GOPROXY GOSUMDB' ] && echo 'https://modules.example,https://Second.example|direct' && echo sums.example+033de0ae+key\n", 0o755, bin, "go")
	write(t, "#!/bin/sh\npwd >&2\n[ $(pwd) = / ] && echo http://localhost:4873/\n", 0o755, bin, "npm")
	write(t, "#!/bin/sh\necho https://wheels.example/simple files.wheels.example\n", 0o755, bin, "python3")
	write(t, "#!/bin/sh\necho https://broken.example/; exit 1\n", 0o755, bin, "gem")
	write(t, `{"dl":"https://static.crates.example/crates","api":"https://crates.example"}`, 0o644, home, ".cargo/registry/index/index.crates.example-6f17d22bba15001f/config.json")
	write(t, "{", 0o644, home, ".cargo/registry/index/other-1/config.json")
	write(t, "[global]\nindex-url=https://mirror.example:8443/simple\n", 0o644, home, ".config/pip/pip.conf")
	p := b.AskPackages(t.Context())
	require.Equal(t, "https://modules.example,https://Second.example|direct", p.GoProxy)
	require.Equal(t, []string{
		"crates.example", "files.wheels.example", "index.crates.example", "localhost:4873", "mirror.example", "modules.example", "second.example", "static.crates.example", "sums.example", "wheels.example",
	}, p.Hosts)
}

func TestAProjectsOwnClientsAreNotAsked(t *testing.T) {
	home, project, elsewhere := t.TempDir(), t.TempDir(), t.TempDir()
	const answers = "#!/bin/sh\necho https://evil.example/\n"
	write(t, answers, 0o755, project, "node_modules/.bin/npm")
	write(t, answers, 0o755, project, "bin/go")
	require.NoError(t, os.Symlink(filepath.Join(project, "bin/go"), filepath.Join(elsewhere, "go")))
	t.Chdir(project)
	b := confine.Box{Home: home, Project: project, Environ: []string{"PATH=" + filepath.Join(project, "node_modules/.bin") + ":bin:" + elsewhere + ":/usr/bin:/bin", "HOME=" + home}}
	p := b.AskPackages(t.Context())
	require.NotContains(t, p.Hosts, "evil.example")
	require.NotContains(t, p.GoProxy, "evil.example")
}

func TestGoFindsItsModulesBesideWhatItIsSetTo(t *testing.T) {
	home := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(home, "go/pkg/mod/cache/download"), 0o755))
	for _, c := range []struct {
		name, proxy, variable, want string
	}{
		{"as go has it", "https://modules.example,direct", "", "https://modules.example|file:///run/council/go-modules,direct"},
		{"the environment goes before", "https://modules.example,direct", "off", "file:///run/council/go-modules,off"},
		{"there is no go", "", "", ""},
	} {
		own := t.TempDir()
		b := confine.Box{Project: t.TempDir(), Own: own, Home: home, Program: "/bin/true", Environ: []string{"HOME=" + home, "PATH=/usr/bin"}, GoProxy: c.proxy}
		if c.variable != "" {
			b.Environ = append(b.Environ, "GOPROXY="+c.variable)
		}
		_, env, err := b.Command("bwrap", confine.Outlet{Socket: filepath.Join(own, "proxy")}, b.Project, []string{"true"})
		require.NoError(t, err)
		got := ""
		for _, entry := range env {
			if len(entry) > 8 && entry[:8] == "GOPROXY=" {
				got = entry[8:]
			}
		}
		require.Equal(t, c.want, got, c.name)
	}
}
