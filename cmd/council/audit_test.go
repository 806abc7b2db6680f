package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/audit"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/test/web"
)

// auditOf calls `council audit` in an empty home, with private addresses
// allowed.
func auditOf(t *testing.T, args ...string) (code int, out, said string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	home := t.TempDir()
	self, err := exec.LookPath("council")
	require.NoError(t, err, "sources are read by a process of it")
	e := program.Env{
		Stdout: &stdout,
		Stderr: &stderr,
		Stdin:  &bytes.Buffer{},
		Dir:    t.TempDir(), Self: self, Getenv: func(key string) string {
			return map[string]string{"HOME": home, program.AllowPrivate: "1"}[key]
		},
	}
	code = run(context.Background(), append([]string{"audit"}, args...), e)
	return code, stdout.String(), stderr.String()
}

func TestAReportOnTheWebIsAuditedWithItsSources(t *testing.T) {
	w := web.Start(t, web.Page{URL: "http://news.example/lake", Body: web.Report()})
	source := w.Direct("http://news.example/lake")
	require.NoError(t, w.Add(web.Page{
		URL: "http://blog.example/report",
		Body: `<!doctype html><title>R</title><p>“The surveyors measured the lake in 2019 and found it to be 178 metres deep” <a href="#s1">[1]</a>.</p>` +
			`<h2>Sources</h2><ol><li id="s1"><a href="` + source + `">The depth of the lake</a></li></ol>`,
	}))
	kept := filepath.Join(t.TempDir(), "kept")
	code, out, said := auditOf(t, "--json", "--archive", kept, w.Direct("http://blog.example/report"))
	require.Equal(t, codeFailed, code, said)
	var r audit.Result
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	require.Len(t, r.Findings, 1)
	require.Equal(t, "altered", r.Findings[0].Kind)
	require.Contains(t, r.Findings[0].What, "187")
	require.DirExists(t, kept)
}

func TestAReportThatIsNotThereIsAMistake(t *testing.T) {
	w := web.Start(t,
		web.Page{URL: "http://news.example/walled", Status: 403},
		web.Page{URL: "http://news.example/a.pdf", MIME: "application/pdf", Body: web.PDF("A", "B", "some text of it")})
	for _, path := range []string{"walled", "a.pdf"} {
		code, out, said := auditOf(t, w.Direct("http://news.example/"+path))
		require.Equal(t, codeUsage, code, path)
		require.Empty(t, out)
		require.Contains(t, said, "council: http://")
	}
}
