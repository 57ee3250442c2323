// Command lantern runs report queries for tenants.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"example.org/lantern/internal/config"
)

func main() {
	dir := flag.String("config", "config", "folder of the configuration")
	tenant := flag.String("tenant", "", "whose configuration")
	flag.Parse()
	if err := run(*dir, *tenant, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "lantern:", err)
		os.Exit(1)
	}
}

func run(dir, tenant, command string) error {
	env := os.Getenv("LANTERN_ENV")
	if env == "" {
		env = "staging"
	}
	settings, err := config.Load(dir, env, tenant, os.Environ())
	if err != nil {
		return err
	}
	switch command {
	case "show-config":
		// As merged. Plans are applied when a query starts, not here.
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		return encoder.Encode(settings)
	case "serve":
		return serve(settings)
	default:
		return fmt.Errorf("unknown command %q", command)
	}
}
