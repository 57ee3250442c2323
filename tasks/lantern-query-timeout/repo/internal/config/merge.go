package config

// merge lays over onto base, key by key. Objects are merged, anything else is
// replaced.
func merge(base, over map[string]any) {
	for key, value := range over {
		inner, isObject := value.(map[string]any)
		known, wasObject := base[key].(map[string]any)
		if isObject && wasObject {
			merge(known, inner)
			continue
		}
		base[key] = value
	}
}
