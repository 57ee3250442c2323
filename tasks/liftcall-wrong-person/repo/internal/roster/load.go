package roster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Load reads all rosters of a folder, and the swaps.
func Load(folder string) (map[string]*Team, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.roster"))
	if err != nil {
		return nil, err
	}
	files := map[string]*file{}
	var order []string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		f, err := parseRoster(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if _, twice := files[f.team.Name]; twice {
			return nil, fmt.Errorf("%s: there is a team %q already", path, f.team.Name)
		}
		files[f.team.Name] = f
		order = append(order, f.team.Name)
	}
	teams := map[string]*Team{}
	for _, name := range order {
		if err := resolve(files, name, 0); err != nil {
			return nil, err
		}
		teams[name] = &files[name].team
	}
	return teams, addOverrides(teams, filepath.Join(folder, "overrides.txt"))
}

// resolve takes over what a team has from the one it is like.
func resolve(files map[string]*file, name string, depth int) error {
	f, known := files[name]
	if !known {
		return fmt.Errorf("no team %q", name)
	}
	if f.resolved {
		return nil
	}
	if depth > len(files) {
		return fmt.Errorf("team %q is like itself", name)
	}
	if f.like != "" {
		if err := resolve(files, f.like, depth+1); err != nil {
			return err
		}
		base := files[f.like].team
		f.team.Start, f.team.Shift, f.team.Rotation = base.Start, base.Shift, base.Rotation
	}
	f.team.Rotation = append(f.team.Rotation, f.plus...)
	if len(f.team.Rotation) == 0 || f.team.Shift == 0 || f.team.Start.IsZero() {
		return fmt.Errorf("team %q: start, shift or rotation is missing", name)
	}
	f.resolved = true
	return nil
}

func addOverrides(teams map[string]*Team, path string) error {
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	overrides, err := parseOverrides(strings.ReplaceAll(string(text), "\r", ""))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, override := range overrides {
		team, known := teams[override.Team]
		if !known {
			return fmt.Errorf("%s: no team %q", path, override.Team)
		}
		team.Overrides = append(team.Overrides, &override)
	}
	return nil
}
