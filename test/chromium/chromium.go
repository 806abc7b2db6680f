// Package chromium drives the Chromium of this machine for tests, over the two pipes it
// takes commands through: pages are opened, looked at, typed at and drawn.
package chromium

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/test/readers"
)

// Browser is a Chromium with one page.
type Browser struct {
	t       testing.TB
	to      *os.File
	from    *bufio.Reader
	session string
	last    int
	heard   []message // events since a page was last opened
}

type message struct {
	ID     int             `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	In     string          `json:"sessionId,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

// Start starts a Chromium with further flags. Where there is none the test is skipped.
func Start(t testing.TB, flags ...string) *Browser {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	cmd := exec.Command(program, append(flags, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--remote-debugging-pipe", "--user-data-dir="+t.TempDir(), "about:blank")...)
	theirIn, in, err := os.Pipe()
	require.NoError(t, err)
	out, theirOut, err := os.Pipe()
	require.NoError(t, err)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	require.NoError(t, cmd.Start())
	require.NoError(t, theirIn.Close())
	require.NoError(t, theirOut.Close())
	b := &Browser{t: t, to: in, from: bufio.NewReader(out)}
	t.Cleanup(func() {
		b.session = ""
		_ = b.send("Browser.close", nil)
		_ = in.Close()
		_ = cmd.Wait()
		_ = out.Close()
	})
	require.NoError(t, out.SetReadDeadline(time.Now().Add(4*time.Minute)))
	b.Tab()
	return b
}

// Tab opens a further page, which is the one that is driven from now on.
func (b *Browser) Tab() {
	b.t.Helper()
	var made struct{ TargetID string }
	b.session = ""
	b.Call("Target.createTarget", map[string]any{"url": "about:blank"}, &made)
	var attached struct{ SessionID string }
	b.Call("Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		b.Call(domain+".enable", nil, nil)
	}
}

func (b *Browser) send(method string, params any) error {
	b.last++
	asked := map[string]any{"id": b.last, "method": method}
	if params != nil {
		asked["params"] = params
	}
	if b.session != "" {
		asked["sessionId"] = b.session
	}
	data, err := json.Marshal(asked)
	if err != nil {
		return err
	}
	_, err = b.to.Write(append(data, 0))
	return err
}

// Call asks the browser for something, in the words of its protocol, and reads the answer.
func (b *Browser) Call(method string, params, answer any) {
	b.t.Helper()
	m := b.ask(method, params)
	require.Empty(b.t, string(m.Error), method)
	if answer != nil {
		require.NoError(b.t, json.Unmarshal(m.Result, answer))
	}
}

// ask gives the browser's answer, which may be an error.
func (b *Browser) ask(method string, params any) message {
	b.t.Helper()
	require.NoError(b.t, b.send(method, params))
	for id := b.last; ; {
		if m := b.read(); m.ID == id {
			return m
		}
	}
}

func (b *Browser) read() message {
	b.t.Helper()
	data, err := b.from.ReadBytes(0)
	require.NoError(b.t, err)
	var m message
	require.NoError(b.t, json.Unmarshal(bytes.TrimSuffix(data, []byte{0}), &m))
	if m.Method != "" {
		b.heard = append(b.heard, m)
	}
	return m
}

// Open shows a page and waits until it is there.
func (b *Browser) Open(address string) {
	b.t.Helper()
	b.heard = nil
	b.Call("Page.navigate", map[string]any{"url": address}, nil)
	for !b.has("Page.loadEventFired") {
		b.read()
	}
}

func (b *Browser) has(event string) bool {
	for _, m := range b.heard {
		if m.Method == event {
			return true
		}
	}
	return false
}

// Requests are the addresses that were asked for since a page was last opened.
func (b *Browser) Requests() []string {
	var list []string
	for _, m := range b.heard {
		var asked struct{ Request struct{ URL string } }
		if m.Method == "Network.requestWillBeSent" && json.Unmarshal(m.Params, &asked) == nil {
			list = append(list, asked.Request.URL)
		}
	}
	return list
}

// Faults are what the browser complained of since a page was last opened.
func (b *Browser) Faults() []string {
	var list []string
	for _, m := range b.heard {
		switch m.Method {
		case "Runtime.exceptionThrown", "Log.entryAdded", "Page.javascriptDialogOpening":
			list = append(list, string(m.Params))
		}
	}
	return list
}

// Size sets the size of the window.
func (b *Browser) Size(width, height int) {
	b.t.Helper()
	b.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
}

// Scheme sets what the person prefers, light or dark.
func (b *Browser) Scheme(scheme string) {
	b.t.Helper()
	b.Call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// Eval gives the value of an expression, as text; a promise is waited for.
func (b *Browser) Eval(expression string) string {
	b.t.Helper()
	var got struct {
		Result    struct{ Value any }
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	b.Call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &got)
	require.Empty(b.t, string(got.Exception), expression)
	return fmt.Sprint(got.Result.Value)
}

// Await waits until an expression is true, also over the load of another page, in
// which the browser answers with an error.
func (b *Browser) Await(expression string) {
	b.t.Helper()
	require.Eventually(b.t, func() bool {
		var got struct{ Result struct{ Value any } }
		m := b.ask("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true})
		return len(m.Error) == 0 && json.Unmarshal(m.Result, &got) == nil && got.Result.Value == true
	}, 40*time.Second, 100*time.Millisecond, expression)
}

// Press presses and releases a key by its name.
func (b *Browser) Press(key string) {
	b.t.Helper()
	code := map[string]int{"Tab": 9, "Enter": 13, "Escape": 27, " ": 32}[key]
	text := map[string]string{"Enter": "\r", " ": " "}[key]
	b.Call("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text}, nil)
	b.Call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": code}, nil)
}

// Type types a text where the focus is.
func (b *Browser) Type(text string) {
	b.t.Helper()
	b.Call("Input.insertText", map[string]any{"text": text}, nil)
}

// TabTo presses Tab until an element has the focus, as a person without a mouse does.
func (b *Browser) TabTo(selector string) {
	b.t.Helper()
	for range 200 {
		b.Press("Tab")
		if b.Eval(fmt.Sprintf("document.activeElement.matches(%q)", selector)) == "true" {
			return
		}
	}
	require.Fail(b.t, "no key leads to "+selector)
}

// Axe runs axe-core in the page and gives what it finds wrong, a line each.
func (b *Browser) Axe() string {
	b.t.Helper()
	source, err := os.ReadFile(filepath.Join(readers.Installed(b.t, "citation"), "node_modules", "axe-core", "axe.min.js"))
	require.NoError(b.t, err)
	b.Eval(string(source) + ";0")
	return b.Eval("axe.run(document).then(r => r.violations.flatMap(v => v.nodes.map(n => v.id + ': ' + n.html.slice(0, 200) + ' ' + n.failureSummary)).join('\\n'))")
}

// PDF is the page as it is printed.
func (b *Browser) PDF() []byte {
	b.t.Helper()
	var printed struct{ Data string }
	b.Call("Page.printToPDF", map[string]any{"paperWidth": 8.27, "paperHeight": 11.69}, &printed)
	data, err := base64.StdEncoding.DecodeString(printed.Data)
	require.NoError(b.t, err)
	return data
}

// Shoot keeps a picture of the page where the variable PICTURES names a folder.
func (b *Browser) Shoot(name string) {
	b.t.Helper()
	dir := os.Getenv("PICTURES")
	if dir == "" {
		return
	}
	var shot struct{ Data string }
	b.Call("Page.captureScreenshot", nil, &shot)
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	require.NoError(b.t, err)
	require.NoError(b.t, os.WriteFile(filepath.Join(dir, name+".png"), data, 0o600))
}

// maxPicture is how large a picture of the documentation may be, in bytes.
const maxPicture = 150 << 10

// Picture takes a picture for the documentation: with nothing on it of the machine it is
// taken on, and not large. It is kept where [Browser.Shoot] keeps one.
func (b *Browser) Picture(name string) {
	b.t.Helper()
	text := b.Eval("document.documentElement.innerText")
	for _, own := range []string{os.TempDir() + "/", "/root/", "/home/"} {
		require.NotContains(b.t, text, own, "%s tells of this machine", name)
	}
	var shot struct{ Data string }
	b.Call("Page.captureScreenshot", map[string]any{"optimizeForSpeed": false}, &shot)
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	require.NoError(b.t, err)
	require.Less(b.t, len(data), maxPicture, name)
	if dir := os.Getenv("PICTURES"); dir != "" {
		require.NoError(b.t, os.WriteFile(filepath.Join(dir, name+".png"), data, 0o644))
	}
}
