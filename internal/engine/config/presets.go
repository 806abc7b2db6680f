package config

import (
	_ "embed"
	"slices"

	"gopkg.in/yaml.v3"
)

//go:embed presets.yaml
var presetsText []byte

// Preset is what is known of a server before anybody has set it up.
type Preset struct {
	Name    string `yaml:"name"`
	BaseURL string `yaml:"base_url"`
	KeyEnv  string `yaml:"key_env"`
	Brand   string `yaml:"brand"`   // family of its models; "" where it serves many
	Local   bool   `yaml:"local"`   // it runs on the person's own machine, and costs nothing
	About   string `yaml:"about"`   // the page this is from
	Checked string `yaml:"checked"` // the day it was looked up
}

// Presets are all that are known, in the order in which people are told of them.
func Presets() []Preset {
	var list []Preset
	if err := yaml.Unmarshal(presetsText, &list); err != nil {
		panic("presets.yaml: " + err.Error()) // it is part of the program
	}
	return list
}

// PresetNamed gives a preset by its name.
func PresetNamed(name string) (Preset, bool) {
	list := Presets()
	i := slices.IndexFunc(list, func(p Preset) bool { return p.Name == name })
	if i < 0 {
		return Preset{}, false
	}
	return list[i], true
}
