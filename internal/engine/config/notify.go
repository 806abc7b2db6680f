package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Notify is how people are told what happened. A secret is no part of it: a
// field that ends in Env names the variable of the environment that holds one.
type Notify struct {
	Timeout  time.Duration `yaml:"timeout"`  // of one channel, further tries included
	Desktop  string        `yaml:"desktop"`  // auto, on or off
	Terminal bool          `yaml:"terminal"` // a notice and a bell on the terminal a command runs in
	Webhook  Webhook       `yaml:"webhook"`
	Ntfy     Ntfy          `yaml:"ntfy"`
	Slack    Slack         `yaml:"slack"`
	Telegram Telegram      `yaml:"telegram"`
}

// What a desktop may be set to.
const (
	DesktopAuto = "auto" // where there is one that can show a notice
	DesktopOn   = "on"
	DesktopOff  = "off"
)

// Webhook is an address every message is posted to, as JSON. It is off without
// one.
type Webhook struct {
	URL     string            `yaml:"url"`
	URLEnv  string            `yaml:"url_env"`     // instead of URL, where the address is a secret
	Headers map[string]string `yaml:"headers_env"` // a header's name, and the variable that holds its value
}

// Ntfy is a topic of an ntfy server. It is off without a topic.
type Ntfy struct {
	Server   string `yaml:"server"`
	Topic    string `yaml:"topic"`
	TopicEnv string `yaml:"topic_env"` // instead of Topic, where whoever knows it can read it
	TokenEnv string `yaml:"token_env"` // none where the server asks for none
}

// Slack is an incoming webhook of Slack: its address is a secret. It is off
// without one.
type Slack struct {
	URLEnv string `yaml:"url_env"`
}

// Telegram is a chat a bot writes to. It is off without a chat.
type Telegram struct {
	Server   string `yaml:"server"`
	Chat     string `yaml:"chat"` // a number, or @name of a channel
	TokenEnv string `yaml:"token_env"`
}

// maxNoticeTimeout bounds the time of one channel.
const maxNoticeTimeout = 5 * time.Minute

func (n Notify) check() error {
	switch {
	case !slices.Contains([]string{DesktopAuto, DesktopOn, DesktopOff}, n.Desktop):
		return errors.New("notify: desktop has to be auto, on or off")
	case n.Timeout <= 0 || n.Timeout > maxNoticeTimeout:
		return fmt.Errorf("notify: timeout has to be more than 0s and at most %s", maxNoticeTimeout)
	case n.Webhook.URL != "" && n.Webhook.URLEnv != "":
		return errors.New("notify: webhook has url or url_env, not both")
	case n.Ntfy.Topic != "" && n.Ntfy.TopicEnv != "":
		return errors.New("notify: ntfy has topic or topic_env, not both")
	case strings.Trim(n.Ntfy.Topic, topicSigns) != "" || len(n.Ntfy.Topic) > 64:
		return errors.New("notify: a topic of ntfy has letters, digits, - and _, at most 64")
	case n.Telegram.Chat != "" && n.Telegram.TokenEnv == "":
		return errors.New("notify: telegram needs token_env, the name of the variable that holds the bot's token")
	}
	return errors.Join(n.checkAddresses(), n.checkNames())
}

// checkAddresses never repeats an address: one may hold what is not to be seen.
func (n Notify) checkAddresses() error {
	for name, address := range map[string]string{"webhook: url": n.Webhook.URL, "ntfy: server": n.Ntfy.Server, "telegram: server": n.Telegram.Server} {
		u := web(address)
		switch {
		case address == "" && name == "webhook: url":
		case u == nil:
			return fmt.Errorf("notify: %s has to be an http or https address", name)
		case u.User != nil:
			return fmt.Errorf("notify: %s cannot hold a password; name a variable that holds the address, or a header's", name)
		}
	}
	return nil
}

// Variables names the variables of the environment that hold secrets of
// channels, sorted: no child of ours needs to see them.
func (n Notify) Variables() []string {
	names := []string{n.Webhook.URLEnv, n.Ntfy.TopicEnv, n.Ntfy.TokenEnv, n.Slack.URLEnv, n.Telegram.TokenEnv}
	names = slices.AppendSeq(names, maps.Values(n.Webhook.Headers))
	slices.Sort(names)
	return slices.Compact(slices.DeleteFunc(names, func(name string) bool { return name == "" }))
}

func (n Notify) checkNames() error {
	for name, of := range n.Webhook.Headers {
		if !header(name, of) {
			return errors.New("notify: headers_env has to give a header's name the name of a variable")
		}
	}
	for _, name := range n.Variables() {
		if !variable(name) {
			return errors.New("notify: what ends in _env has to be the name of a variable of the environment, not what it holds")
		}
	}
	return nil
}
