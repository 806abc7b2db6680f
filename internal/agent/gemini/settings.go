package gemini

import (
	"strings"

	"github.com/research-council/research-council/internal/agent"
)

// hookMilliseconds is what the loop hook may take; it needs a few.
const hookMilliseconds = 30_000

// maxTurns bounds the model calls of one process that follow a tool.
const maxTurns = 200

// jsonObject is a JSON object.
type jsonObject = map[string]any

// settings are what the seat's CLI reads: its login, its hook, its models,
// and nothing that phones home, updates, deletes sessions or leaves the
// workspace.
func settings(t agent.Turn) jsonObject {
	s := jsonObject{
		"general": jsonObject{
			"enableAutoUpdate":             false,
			"enableAutoUpdateNotification": false,
			"maxAttempts":                  5,
			"sessionRetention":             jsonObject{"enabled": false}, // else a later start deletes a resumed session
			"plan":                         jsonObject{"enabled": false}, // in plan mode writes go elsewhere and say they did not
		},
		"privacy":   jsonObject{"usageStatisticsEnabled": false},
		"telemetry": jsonObject{"enabled": false},
		"advanced":  jsonObject{"ignoreLocalEnv": true, "autoConfigureMemory": false},
		"context":   jsonObject{"memoryBoundaryMarkers": []string{}, "includeDirectoryTree": false},
		"model":     jsonObject{"maxSessionTurns": maxTurns},
		"hooksConfig": jsonObject{
			"enabled": true,
		},
		"hooks": jsonObject{"AfterAgent": []jsonObject{{
			"matcher": "*",
			"hooks": []jsonObject{{
				"name":    "research-loop",
				"type":    "command",
				"command": agent.Shell(t.LoopCommand("after-agent")),
				"timeout": hookMilliseconds,
			}},
		}}},
	}
	if len(t.Desk) > 0 {
		s["mcpServers"] = jsonObject{"desk": desk(t)}
	}
	if t.Offline {
		s["tools"] = jsonObject{"exclude": []string{"google_web_search", "web_fetch"}}
	}
	if ownHome(t) {
		s["security"] = jsonObject{"auth": jsonObject{"selectedType": "gemini-api-key"}}
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
func desk(t agent.Turn) jsonObject {
	argv := make([]string, len(t.Desk))
	for i, a := range t.Desk {
		argv[i] = strings.ReplaceAll(a, "$", "${"+dollar+"}")
	}
	call := deskMilliseconds
	if len(t.Shell) > 0 || t.Trials {
		call = commandMilliseconds
	}
	server := jsonObject{"command": argv[0], "args": argv[1:], "timeout": call, "trust": true}
	env := jsonObject{} // the CLI keeps names that look secret from a server, unless they are named
	for _, name := range t.DeskEnv {
		if t.Env[name] != "" {
			env[name] = "${" + name + "}"
		}
	}
	if len(env) > 0 {
		server["env"] = env
	}
	return server
}

// dollar names a variable that holds a dollar sign.
const dollar = "RESEARCH_COUNCIL_DOLLAR"

// models keep every request of the seat on its own model. The web tools would
// ask another one, which, when it has no quota, is asked again for ever. Only
// an override holds the thinking on every request; an alias does for the
// first one alone.
func models(t agent.Turn) jsonObject {
	on := func(tools ...jsonObject) jsonObject {
		config := jsonObject{"model": t.Model}
		if len(tools) > 0 {
			config["generateContentConfig"] = jsonObject{"tools": tools}
		}
		return jsonObject{"extends": "base", "modelConfig": config}
	}
	configs := jsonObject{"customAliases": jsonObject{
		"web-search":         on(jsonObject{"googleSearch": jsonObject{}}),
		"web-fetch":          on(jsonObject{"urlContext": jsonObject{}}),
		"web-fetch-fallback": on(),
	}}
	if thinking := thinking(t); thinking != nil {
		configs["customOverrides"] = []jsonObject{{
			"match":       jsonObject{"model": t.Model},
			"modelConfig": jsonObject{"generateContentConfig": jsonObject{"thinkingConfig": thinking}},
		}}
	}
	return configs
}

// thinking is a budget in tokens where one is asked for, else a level, which
// is LOW or HIGH; models of the second generation know budgets only.
func thinking(t agent.Turn) jsonObject {
	switch {
	case t.Thinking > 0:
		return jsonObject{"thinkingBudget": t.Thinking}
	case t.Effort == "" || strings.HasPrefix(t.Model, "gemini-2"):
		return nil
	case t.Effort == "minimal" || t.Effort == "low":
		return jsonObject{"thinkingLevel": "LOW"}
	}
	return jsonObject{"thinkingLevel": "HIGH"}
}
