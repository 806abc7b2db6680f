package secret_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/project/secret"
)

// Invented secrets, put together here so that none stands in this file.
func invented(parts ...string) string { return strings.Join(parts, "") }

func TestWhatIsASecret(t *testing.T) {
	awsKey := invented("AK", "IA", "Q7RT3ZLMN5XKW2PD")
	awsSecret := invented("wJq8rXUtnFEMIzK7MDNG", "bPxRfiCYzVkQ3LpT9aSd")
	github := invented("gh", "p_", "Zk3Rw8Tn5Xv1Qy7Lp2Md9Hs4Bf6Gj0Cu8Ea1")
	npm := invented("np", "m_", "a8Kd0Qw7Zx3Rt5Yu1Pm9Lk2Jh4Gf6Ds8Nb3V")
	pem := invented("-----BEGIN ", "PRIVATE KEY-----\n", "MC4CAQAwBQYDK2VwBCIEIJ1sZ7q0mT3vUo5xY8dRk2LwPfHn6Bc4Ae9GjQyWtSzX\n", "-----END ", "PRIVATE KEY-----\n")
	for _, c := range []struct {
		what, path, text string
		finds            []string
	}{
		{"an AWS pair in .env", ".env", "AWS_ACCESS_KEY_ID=" + awsKey + "\nAWS_SECRET_ACCESS_KEY=" + awsSecret + "\n", []string{".env:1: an AWS access key", ".env:2: an AWS secret key"}},
		{"a key file", "config/dev.pem", pem, []string{"config/dev.pem:1: a private key"}},
		{"a token of a registry", ".npmrc", "//registry.example/:_authToken=" + npm + "\n", []string{".npmrc:1: an npm token"}},
		{"a default in source", "src/cart.js", "export const a = 1;\n\nconst token = '" + github + "';\n", []string{"src/cart.js:3: a GitHub token"}},
		{"a value of no known maker in .env", ".env", "DEBUG=true\nAPI_TOKEN=q8Zr4Tn1Xw7Vb2Lk9\n", []string{".env:2: a secret value"}},
		{"an upload's password", ".pypirc", "[pypi]\nusername = me\npassword = Tr0ub4dor-and-3\n", []string{".pypirc:3: a secret value"}},
		{"a machine's password", ".netrc", "machine x.org login me password h7Gd2Kq9Ls\n", []string{".netrc:1: a password"}},
		{"a database's password", "app.yaml", "url: postgres://me:" + invented("h7Gd2", "Kq9Lsx1") + "@db/x\n", []string{"app.yaml:1: a password in an address"}},
		{"a placeholder", ".env.example", "API_KEY=your-key-here\nTOKEN=q8Zr4Tn1Xw7Vb2Lk9\n", nil},
		{"the documented key", "README.md", invented("Set AWS_ACCESS_KEY_ID=AK", "IAIOSFODNN7EXAMPLE"), nil},
		{"the documented secret", ".env", invented("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG", "/bPxRfiCYEXAMPLEKEY"), nil},
		{"a hash", "lock.json", `{"integrity":"sha512-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}`, nil},
		{"a variable", ".env", "API_TOKEN=${OTHER_TOKEN_OF_MINE}\nPORT=8080\nAUTH_MODE=none\n", nil},
		{"a token from the environment", ".npmrc", "//registry.example/:_authToken=${NPM_TOKEN}\n", nil},
		{"code about tokens", "src/token.js", "const token = process.env.GITHUB_TOKEN_FOR_RELEASES;\nconst secretKeyLength = computeSecretKeyLength(options);\n", nil},
		{"a public key", "id.pub", "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n", nil},
	} {
		t.Run(c.what, func(t *testing.T) {
			var said []string
			for _, f := range secret.NewSecrets([]secret.File{{Path: c.path, Is: []byte(c.text)}}) {
				said = append(said, f.String())
			}
			require.Equal(t, c.finds, said)
		})
	}
}

func TestWhatWasThereIsNotAdded(t *testing.T) {
	old := invented("gh", "p_", "Zk3Rw8Tn5Xv1Qy7Lp2Md9Hs4Bf6Gj0Cu8Ea1")
	moved := []secret.File{{Path: "a.js", Was: []byte("x = '" + old + "'")}, {Path: "b.js", Is: []byte("x = '" + old + "'")}}
	require.Empty(t, secret.NewSecrets(moved))
}

func TestASecretIsNeverPrinted(t *testing.T) {
	token := invented("gh", "p_", "Zk3Rw8Tn5Xv1Qy7Lp2Md9Hs4Bf6Gj0Cu8Ea1")
	text := []byte("a\nx = '" + token + "'\n")
	finds := secret.NewSecrets([]secret.File{{Path: "a.js", Is: text}})
	require.Len(t, finds, 1)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		require.NotContains(t, fmt.Sprintf(verb, finds), token[4:])
		require.NotContains(t, fmt.Sprintf(verb, finds[0]), token[4:])
	}
	require.Equal(t, "a\nx = '[a secret was here]'\n", string(secret.Redact(text, finds)))
}

func FuzzAdded(f *testing.F) {
	f.Add(".env", []byte("A_KEY=q8Zr4Tn1Xw7Vb2Lk9\n"))
	f.Add("a.pem", []byte("-----BEGIN PRIVATE KEY-----"))
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		finds := secret.NewSecrets([]secret.File{{Path: name, Is: text}})
		for _, find := range finds {
			require.Positive(t, find.Line)
		}
		if len(finds) > 0 {
			require.NotEqual(t, text, secret.Redact(text, finds))
		}
	})
}
