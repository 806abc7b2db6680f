package notify

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// services make the channels that go over HTTP.
type services struct {
	environ func(string) string
	client  *http.Client
	pause   time.Duration // before the second try
}

// variable is what a variable holds; white space around it is none of it.
func (s services) variable(variable string) string {
	if variable == "" {
		return ""
	}
	return strings.TrimSpace(s.environ(variable))
}

// address is what a variable holds, where that is an address, else what is
// wrong with it.
func (s services) address(variable string) (address, missing string) {
	address = s.variable(variable)
	u, err := url.Parse(address)
	switch {
	case address == "":
		return "", notSet(variable)
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return "", variable + " holds no http or https address"
	}
	return address, ""
}

func notSet(variable string) string { return variable + " is not set" }

// webhook posts messages as JSON.
func (s services) webhook(c Config) (channel, bool) {
	w := c.Webhook
	if w.URL == "" && w.URLEnv == "" {
		return channel{}, false
	}
	ch := channel{name: "webhook"}
	address := w.URL
	if address == "" {
		address, ch.missingReason = s.address(w.URLEnv)
	}
	header, secrets := http.Header{"Content-Type": {"application/json"}}, []string{address}
	for name, variable := range w.Headers {
		value := s.variable(variable)
		if value == "" {
			ch.missingReason = notSet(variable)
		}
		header.Set(name, value)
		secrets = append(secrets, value)
	}
	ch.send = func(ctx context.Context, m Message) error {
		body, err := json.Marshal(map[string]any{"title": m.Title, "body": m.Body, "run": m.Run, "level": m.Level, "at": m.At.UTC().Format(time.RFC3339)})
		if err != nil {
			return fmt.Errorf("write the message: %w", err)
		}
		return s.send(ctx, messageRequest{address, header, body, secrets, readNothing})
	}
	return ch, true
}

// ntfyBytes is how much of a message an ntfy server takes as text; more
// becomes a file. From its documentation of limits.
const ntfyBytes = 4096

// ntfy posts messages as text, with what goes with them in headers: the
// publishing interface of ntfy.
func (s services) ntfy(c Config) (channel, bool) {
	n := c.Ntfy
	if n.Topic == "" && n.TopicEnv == "" {
		return channel{}, false
	}
	ch := channel{name: "ntfy"}
	topic, token := cmp.Or(n.Topic, s.variable(n.TopicEnv)), s.variable(n.TokenEnv)
	if topic == "" {
		ch.missingReason = notSet(n.TopicEnv)
	}
	if n.TokenEnv != "" && token == "" {
		ch.missingReason = notSet(n.TokenEnv)
	}
	address := strings.TrimSuffix(n.Server, "/") + "/" + url.PathEscape(topic)
	ch.send = func(ctx context.Context, m Message) error {
		header := http.Header{
			"Title": {mime.BEncoding.Encode("utf-8", m.Title)}, "Priority": {ntfyPriority(m.Level)}, "Tags": {ntfyTag(m.Level)},
			"Content-Type": {"text/plain; charset=utf-8"},
		}
		if token != "" {
			header.Set("Authorization", "Bearer "+token)
		}
		body := truncate(cmp.Or(m.Body, m.Title), ntfyBytes, utf8.RuneLen)
		return s.send(ctx, messageRequest{address, header, []byte(body), []string{token, topic}, readNtfyError})
	}
	return ch, true
}

// ntfyPriority is a level in ntfy's numbers: 3 is its default, 5 the highest.
func ntfyPriority(level string) string {
	return map[string]string{Info: "3", Warning: "4", Error: "5"}[level]
}

// ntfyTag is a level as a tag of ntfy, which shows known ones as a picture.
func ntfyTag(level string) string {
	return map[string]string{Info: "books", Warning: "warning", Error: "rotating_light"}[level]
}

func readNtfyError(body []byte) (string, time.Duration) {
	var said struct{ Error string }
	_ = json.Unmarshal(body, &said) // what is no JSON says nothing
	return said.Error, 0
}

// slackRunes is how much of a text Slack advises to send at most.
const slackRunes = 4000

// slack posts messages to an incoming webhook.
func (s services) slack(c Config) (channel, bool) {
	if c.Slack.URLEnv == "" {
		return channel{}, false
	}
	ch := channel{name: "slack"}
	var address string
	address, ch.missingReason = s.address(c.Slack.URLEnv)
	ch.send = func(ctx context.Context, m Message) error {
		text := slackEscape(truncate(m.text(), slackRunes, func(rune) int { return 1 }))
		body, err := json.Marshal(map[string]any{"text": text, "mrkdwn": false})
		if err != nil {
			return fmt.Errorf("write the message: %w", err)
		}
		return s.send(ctx, messageRequest{address, http.Header{"Content-Type": {"application/json"}}, body, []string{address}, readSlackError})
	}
	return ch, true
}

// slackEscape writes the three characters that mean something to Slack, so
// that no text names a channel or a link.
func slackEscape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

// readSlackError reads Slack's word for a fault, such as invalid_payload.
func readSlackError(body []byte) (string, time.Duration) {
	word := strings.TrimSpace(string(body))
	if len(word) > 60 || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz_") != "" {
		return "", 0
	}
	return word, 0
}

// telegramUnits is how long a message of Telegram's may be, in UTF-16 code
// units. From its documentation of sendMessage.
const telegramUnits = 4096

// telegram lets a bot write to a chat, as plain text.
func (s services) telegram(c Config) (channel, bool) {
	t := c.Telegram
	if t.Chat == "" {
		return channel{}, false
	}
	ch := channel{name: "telegram"}
	token := s.variable(t.TokenEnv)
	if token == "" {
		ch.missingReason = notSet(t.TokenEnv)
	}
	address := strings.TrimSuffix(t.Server, "/") + "/bot" + url.PathEscape(token) + "/sendMessage"
	ch.send = func(ctx context.Context, m Message) error {
		body, err := json.Marshal(map[string]any{
			"chat_id": t.Chat, "text": truncate(m.text(), telegramUnits, utf16.RuneLen),
			"link_preview_options": map[string]bool{"is_disabled": true},
		})
		if err != nil {
			return fmt.Errorf("write the message: %w", err)
		}
		return s.send(ctx, messageRequest{address, http.Header{"Content-Type": {"application/json"}}, body, []string{token}, readTelegramError})
	}
	return ch, true
}

func readTelegramError(body []byte) (string, time.Duration) {
	var said struct {
		Description string
		Parameters  struct {
			RetryAfter int `json:"retry_after"`
		}
	}
	_ = json.Unmarshal(body, &said) // what is no JSON says nothing
	return said.Description, seconds(said.Parameters.RetryAfter)
}
