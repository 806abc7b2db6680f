package testresult_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/project/testresult"
)

func TestIsTest(t *testing.T) {
	for _, name := range []string{
		"shelf_test.go", "a/b/shelf_test.go", "testdata/total.golden", "tests/test_tariff.py", "pkg/test_x.py", "conftest.py", "src/x.test.ts", "x.spec.js",
		"test/cart.test.js", "src/__tests__/a.js", "tests/api.rs", "src/FooTest.java", "spec/a_spec.rb", "lib/a_test.exs",
	} {
		require.True(t, testresult.IsTest(name), name)
	}
	for _, name := range []string{"shelf.go", "src/lib.rs", "latest.py", "contest.go", "package.json", "src/testimony.js", "attest.java", "README.md"} {
		require.False(t, testresult.IsTest(name), name)
	}
}

func TestInstalled(t *testing.T) {
	for _, name := range []string{"node_modules/pad/index.js", "web/node_modules/pad/index.js", ".venv/bin/python", "vendor/example.com/a.go"} {
		require.True(t, testresult.Installed(name), name)
	}
	for _, name := range []string{"node_modules", "data/rates.json", "node_modules.md", "my_node_modules/a.js", "vendors/a.go"} {
		require.False(t, testresult.Installed(name), name)
	}
}

func TestLasting(t *testing.T) {
	given := []string{
		".env", "data/rates.json", "node_modules/pad/index.js", "sub/target/CACHEDIR.TAG", "sub/target/debug/deps/a.o", "sub/targets.json", "tests/__pycache__/a.pyc", "tmp/run.log",
	}
	require.Equal(t, []string{".env", "data/rates.json", "sub/targets.json", "tmp/run.log"}, testresult.WithoutRegenerable(given))
	require.Len(t, given, 8, "what it is given stays")
	require.Equal(t, "node_modules/pad/index.js", given[2])
	require.Empty(t, testresult.WithoutRegenerable(nil))
}
