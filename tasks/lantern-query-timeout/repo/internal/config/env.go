package config

import (
	"strconv"
	"strings"
)

// Two underscores before each part of a key, one belongs to the part:
// LANTERN__QUERY__MAX_ROWS is query.max_rows.
const (
	envPrefix = "LANTERN__"
	envSep    = "__"
)

// fromEnviron turns the variables that carry our prefix into a layer. LANTERN_ENV
// is not one of them, main reads it itself.
func fromEnviron(environ []string) map[string]any {
	layer := map[string]any{}
	for _, pair := range environ {
		name, value, found := strings.Cut(pair, "=")
		if !found || !strings.HasPrefix(name, envPrefix) {
			continue
		}
		path := strings.Split(strings.ToLower(strings.TrimPrefix(name, envPrefix)), envSep)
		set(layer, path, scalar(value))
	}
	return layer
}

func set(layer map[string]any, path []string, value any) {
	for _, part := range path[:len(path)-1] {
		inner, ok := layer[part].(map[string]any)
		if !ok {
			inner = map[string]any{}
			layer[part] = inner
		}
		layer = inner
	}
	layer[path[len(path)-1]] = value
}

func scalar(text string) any {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return text
}
