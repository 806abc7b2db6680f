package notiontest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	notiontest "github.com/research-council/research-council/test/notion"
)

// ask sends a request as a sound client would, but for what edit changes.
func ask(t *testing.T, s *notiontest.Server, method, path, body string, edit ...func(*http.Request)) (int, map[string]any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/v1/"+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+s.Token)
	req.Header.Set("Notion-Version", "2022-06-28")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, e := range edit {
		e(req)
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	var said map[string]any
	require.NoError(t, json.Unmarshal(bytes.TrimSpace(data), &said), string(data))
	return resp.StatusCode, said
}

const (
	text = `{"type":"text","text":{"content":"a"}}`
	para = `{"object":"block","type":"paragraph","paragraph":{"rich_text":[` + text + `]}}`
)

// of is a block of a type with a body.
func of(kind, body string) string { return `{"type":"` + kind + `","` + kind + `":` + body + `}` }

func list(block string, n int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(block+",", n), ",") + "]"
}

// item is a list item with children.
func item(children string) string {
	return of("bulleted_list_item", `{"rich_text":[],"children":`+children+`}`)
}

func words(n int) string {
	return of("paragraph", `{"rich_text":[{"type":"text","text":{"content":"`+strings.Repeat("x", n)+`"}}]}`)
}

func linked(address string) string {
	return of("paragraph", `{"rich_text":[{"type":"text","text":{"content":"a","link":{"url":"`+address+`"}}}]}`)
}

func table(width, rows string) string {
	return of("table", `{"table_width":`+width+`,"children":`+rows+`}`)
}

const wide = `{"type":"table_row","table_row":{"cells":[[` + text + `],[]]}}`

func TestWhatKeepsTheLimitsIsTaken(t *testing.T) {
	s := notiontest.Start(t)
	for _, children := range []string{
		list(para, 100), list(words(2000), 1), "[" + item("["+item(list(para, 100))+"]") + "]", "[" + table("2", list(wide, 100)) + "]",
		"[" + item("["+table("2", list(wide, 1))+"]") + "]", "[" + of("divider", "{}") + "]", "[" + of("code", `{"rich_text":[],"language":"c++"}`) + "]",
		"[" + of("to_do", `{"rich_text":[],"checked":true}`) + "]", "[" + linked("https://x.invalid/"+strings.Repeat("y", 1900)) + "]",
		"[" + of("quote", `{"rich_text":`+list(text, 100)+`}`) + "]", list(item(list(para, 9)), 100),
	} {
		status, said := ask(t, s, "PATCH", "blocks/"+s.Parent+"/children", `{"children":`+children+`}`)
		require.Equal(t, http.StatusOK, status, said)
	}
}

func TestWhatBreaksTheFormatIsRefusedWhole(t *testing.T) {
	s := notiontest.Start(t)
	for what, children := range map[string]string{
		"101 blocks":                list(para, 101),
		"101 children":              "[" + item(list(para, 101)) + "]",
		"no blocks":                 "[]",
		"1001 elements":             list(item(list(para, 10)), 92),
		"2001 characters":           list(words(2001), 1),
		"101 stretches":             "[" + of("quote", `{"rich_text":`+list(text, 101)+`}`) + "]",
		"three levels of children":  "[" + item("["+item("["+item(list(para, 1))+"]")+"]") + "]",
		"a table in the third":      "[" + item("["+item("["+table("2", list(wide, 1))+"]")+"]") + "]",
		"a table without rows":      "[" + table("2", "[]") + "]",
		"a row of another width":    "[" + table("3", list(wide, 1)) + "]",
		"a paragraph in a table":    "[" + table("2", list(para, 1)) + "]",
		"a row outside of a table":  "[" + wide + "]",
		"a heading with children":   "[" + of("heading_1", `{"rich_text":[],"children":`+list(para, 1)+`}`) + "]",
		"a block of no known type":  "[" + of("dance", `{}`) + "]",
		"a type that is another's":  `[{"type":"quote","paragraph":{"rich_text":[]}}]`,
		"a field of our own":        "[" + of("paragraph", `{"rich_text":[],"note":1}`) + "]",
		"no text":                   "[" + of("paragraph", `{}`) + "]",
		"text that is a string":     "[" + of("paragraph", `{"rich_text":"a"}`) + "]",
		"a language of no list":     "[" + of("code", `{"rich_text":[],"language":"golang"}`) + "]",
		"code without a language":   "[" + of("code", `{"rich_text":[]}`) + "]",
		"a link beside the text":    "[" + of("paragraph", `{"rich_text":[{"type":"text","text":{"content":"a"},"link":{"url":"https://x.invalid"}}]}`) + "]",
		"a link of another scheme":  "[" + linked("javascript:alert(1)") + "]",
		"a link to nowhere":         "[" + linked("https://") + "]",
		"a long link":               "[" + linked("https://x.invalid/"+strings.Repeat("y", 2000)) + "]",
		"an archived field":         `[{"type":"divider","divider":{},"archived":false}]`,
		"a good one and a bad one":  "[" + para + "," + linked("x") + "]",
		"more than 500 KB":          list(words(1900), 100) + strings.Repeat(" ", 400_000),
		"a style that is no switch": "[" + of("quote", `{"rich_text":[{"type":"text","text":{"content":"a"},"annotations":{"bold":"yes"}}]}`) + "]",
	} {
		status, said := ask(t, s, "PATCH", "blocks/"+s.Parent+"/children", `{"children":`+children+`}`)
		require.Equal(t, "validation_error", said["code"], what)
		require.Contains(t, []int{400, 413}, status, what)
		require.InDelta(t, status, said["status"], 0, what)
		require.Equal(t, "error", said["object"], what)
		require.Empty(t, s.Page(s.Parent).Blocks, what)
	}
}

func TestEveryRequestNeedsATokenAndAVersion(t *testing.T) {
	s := notiontest.Start(t)
	block := s.NewPageBelow(s.Parent, "Lake")
	s.Write(block, "a")
	hidden := s.NewPage("Hidden")
	s.Unshare(hidden)
	for _, c := range []struct {
		what, method, path, body string
		edit                     func(*http.Request)
		status                   int
		code                     string
	}{
		{"no token", "GET", "users/me", "", func(r *http.Request) { r.Header.Del("Authorization") }, 401, "unauthorized"},
		{"no version", "GET", "users/me", "", func(r *http.Request) { r.Header.Del("Notion-Version") }, 400, "missing_version"},
		{"another version", "GET", "users/me", "", func(r *http.Request) { r.Header.Set("Notion-Version", "1") }, 400, "validation_error"},
		{"no JSON", "POST", "pages", "{", nil, 400, "invalid_json"},
		{"JSON that is not said to be", "POST", "pages", "{}", func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, 400, "invalid_json"},
		{"no parent", "POST", "pages", "{}", nil, 400, "validation_error"},
		{"no title", "POST", "pages", `{"parent":{"page_id":"` + s.Parent + `"},"properties":{"Name":{}}}`, nil, 400, "validation_error"},
		{"a page that is not shared", "GET", "pages/" + hidden, "", nil, 404, "object_not_found"},
		{"an id that is none", "GET", "blocks/x/children", "", nil, 400, "validation_error"},
		{"too many at once", "GET", "blocks/" + s.Parent + "/children?page_size=101", "", nil, 400, "validation_error"},
		{"a cursor of another list", "GET", "blocks/" + s.Parent + "/children?start_cursor=x", "", nil, 400, "validation_error"},
		{"no such verb", "PUT", "pages/" + block, "", nil, 400, "invalid_request_url"},
	} {
		edit := c.edit
		if edit == nil {
			edit = func(*http.Request) {}
		}
		status, said := ask(t, s, c.method, c.path, c.body, edit)
		require.Equal(t, c.status, status, c.what)
		require.Equal(t, c.code, said["code"], c.what)
	}
}

func TestWhatIsInTheTrashCannotBeWritten(t *testing.T) {
	s := notiontest.Start(t)
	status, said := ask(t, s, "PATCH", "blocks/"+s.Parent+"/children", `{"children":[`+item(list(para, 2))+`]}`)
	require.Equal(t, http.StatusOK, status)
	block, _ := said["results"].([]any)[0].(map[string]any)
	require.Equal(t, true, block["has_children"])
	id, _ := block["id"].(string)
	status, said = ask(t, s, "DELETE", "blocks/"+id, "")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, true, said["archived"])
	for _, again := range []string{"DELETE blocks/" + id, "PATCH blocks/" + id + "/children"} {
		method, path, _ := strings.Cut(again, " ")
		status, said = ask(t, s, method, path, `{"children":[`+para+`]}`)
		require.Equal(t, http.StatusBadRequest, status)
		require.Equal(t, "Can't edit block that is archived. You must unarchive the block before editing.", said["message"])
	}
	_, said = ask(t, s, "GET", "blocks/"+s.Parent+"/children", "")
	require.Empty(t, said["results"])
}
