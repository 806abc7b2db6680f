package gemini

import (
	"strings"

	"research-council/internal/agent"
)

// hookMilliseconds is what the loop hook may take; it needs a few.
const hookMilliseconds = 30_000

// maxTurns bounds the model calls of one process that follow a tool.
const maxTurns = 200

// object is a JSON object.
type object = map[string]any

// settings are what the seat's CLI reads: its login, its hook, its models,
// and nothing that phones home, updates, deletes sessions or leaves the
// workspace.
func settings(t agent.Turn) object {
	s := object{
		"general": object{
			"enableAutoUpdate":             false,
			"enableAutoUpdateNotification": false,
			"maxAttempts":                  5,
			"sessionRetention":             object{"enabled": false}, // else a later start deletes a resumed session
			"plan":                         object{"enabled": false}, // in plan mode writes go elsewhere and say they did not
		},
		"privacy":   object{"usageStatisticsEnabled": false},
		"telemetry": object{"enabled": false},
		"advanced":  object{"ignoreLocalEnv": true, "autoConfigureMemory": false},
		"context":   object{"memoryBoundaryMarkers": []string{}, "includeDirectoryTree": false},
		"model":     object{"maxSessionTurns": maxTurns},
		"hooksConfig": object{
			"enabled": true,
		},
		"hooks": object{"AfterAgent": []object{{
			"matcher": "*",
			"hooks": []object{{
				"name":    "research-loop",
				"type":    "command",
				"command": agent.Shell(t.Loop("after-agent")),
				"timeout": hookMilliseconds,
			}},
		}}},
	}
	if len(t.Desk) > 0 {
		s["mcpServers"] = object{"desk": desk(t)}
	}
	if t.Offline {
		s["tools"] = object{"exclude": []string{"google_web_search", "web_fetch"}}
	}
	if ownHome(t) {
		s["security"] = object{"auth": object{"selectedType": "gemini-api-key"}}
	}
	if t.Model != "" {
		s["modelConfigs"] = models(t)
	}
	return s
}

// deskMilliseconds is what a call of the desk may take: a slow page with its
// retries.
const deskMilliseconds = 180_000

// commandMilliseconds is what one may take that runs a command.
const commandMilliseconds = 1_200_000

// desk describes the desk; the CLI would take away the tools of a server it
// does not trust. It fills in $NAME and ${NAME} in settings, so that a dollar
// is itself filled in.
func desk(t agent.Turn) object {
	argv := make([]string, len(t.Desk))
	for i, a := range t.Desk {
		argv[i] = strings.ReplaceAll(a, "$", "${"+dollar+"}")
	}
	call := deskMilliseconds
	if len(t.Shell) > 0 || t.Trials {
		call = commandMilliseconds
	}
	return object{"command": argv[0], "args": argv[1:], "timeout": call, "trust": true}
}

// dollar names a variable that holds a dollar sign.
const dollar = "RESEARCH_COUNCIL_DOLLAR"

// models keep every request of the seat on its own model. The web tools would
// ask another one, which, when it has no quota, is asked again for ever. Only
// an override holds the thinking on every request; an alias does for the
// first one alone.
func models(t agent.Turn) object {
	on := func(tools ...object) object {
		config := object{"model": t.Model}
		if len(tools) > 0 {
			config["generateContentConfig"] = object{"tools": tools}
		}
		return object{"extends": "base", "modelConfig": config}
	}
	configs := object{"customAliases": object{
		"web-search":         on(object{"googleSearch": object{}}),
		"web-fetch":          on(object{"urlContext": object{}}),
		"web-fetch-fallback": on(),
	}}
	if thinking := thinking(t); thinking != nil {
		configs["customOverrides"] = []object{{
			"match":       object{"model": t.Model},
			"modelConfig": object{"generateContentConfig": object{"thinkingConfig": thinking}},
		}}
	}
	return configs
}

// thinking is a budget in tokens where one is asked for, else a level, which
// is LOW or HIGH; models of the second generation know budgets only.
func thinking(t agent.Turn) object {
	switch {
	case t.Thinking > 0:
		return object{"thinkingBudget": t.Thinking}
	case t.Effort == "" || strings.HasPrefix(t.Model, "gemini-2"):
		return nil
	case t.Effort == "minimal" || t.Effort == "low":
		return object{"thinkingLevel": "LOW"}
	}
	return object{"thinkingLevel": "HIGH"}
}
