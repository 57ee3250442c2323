// Package config reads the configuration of a tenant.
package config

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Config is what is left after merging, see Load.
type Config struct {
	Plan  string `json:"plan"`
	Log   Log    `json:"log"`
	Query Query  `json:"query"`
}

type Log struct {
	Level string `json:"level"`
}

type Query struct {
	Timeout  Duration `json:"timeout"`
	Attempts int      `json:"attempts"`
	Drain    Duration `json:"drain"`
	MaxRows  int      `json:"max_rows"`
}

// Duration is a time.Duration written as "90s".
type Duration time.Duration

func (d *Duration) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	parsed, err := time.ParseDuration(text)
	if err != nil {
		return err
	}
	*d = Duration(parsed)
	return nil
}

func (d Duration) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Duration(d).String())
}

// Load merges the defaults, the file of the environment, the file of the tenant
// and the environment variables, each over what came before.
func Load(dir, env, tenant string, environ []string) (Config, error) {
	layers := []string{
		filepath.Join(dir, "default.json"),
		filepath.Join(dir, env+".json"),
		filepath.Join(dir, "tenants", tenant+".json"),
	}
	merged := map[string]any{}
	for _, path := range layers {
		layer, err := read(path)
		if err != nil {
			return Config{}, err
		}
		merge(merged, layer)
	}
	merge(merged, fromEnviron(environ))

	data, err := json.Marshal(merged)
	if err != nil {
		return Config{}, err
	}
	var config Config
	if err := json.Unmarshal(data, &config); err != nil {
		return Config{}, fmt.Errorf("tenant %s: %w", tenant, err)
	}
	return config, nil
}

func read(path string) (map[string]any, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	layer := map[string]any{}
	if err := json.Unmarshal(data, &layer); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return layer, nil
}
