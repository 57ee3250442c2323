package roster

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// file is a .roster file as it is written.
type file struct {
	team     Team
	like     string
	plus     []string
	resolved bool
}

func withoutComment(line string) string {
	if i := strings.IndexByte(line, '#'); i >= 0 {
		line = line[:i]
	}
	return strings.TrimSpace(line)
}

func names(list string) []string {
	var all []string
	for _, name := range strings.Split(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			all = append(all, name)
		}
	}
	return all
}

func parseShift(text string) (time.Duration, error) {
	if text == "" {
		return 0, fmt.Errorf("shift without a length")
	}
	number, err := strconv.Atoi(text[:len(text)-1])
	if err != nil || number < 1 {
		return 0, fmt.Errorf("shift %q: want something like 7d or 12h", text)
	}
	switch text[len(text)-1] {
	case 'd':
		return time.Duration(number) * 24 * time.Hour, nil
	case 'h':
		return time.Duration(number) * time.Hour, nil
	}
	return 0, fmt.Errorf("shift %q: want something like 7d or 12h", text)
}

func parseRoster(text string) (*file, error) {
	f := &file{}
	for number, line := range strings.Split(text, "\n") {
		line = withoutComment(line)
		if line == "" {
			continue
		}
		key, value, _ := strings.Cut(line, " ")
		value = strings.TrimSpace(value)
		var err error
		switch key {
		case "team":
			f.team.Name = value
		case "like":
			f.like = value
		case "plus":
			f.plus = names(value)
		case "start":
			f.team.Start, err = time.Parse(Layout, value)
		case "shift":
			f.team.Shift, err = parseShift(value)
		case "rotation":
			f.team.Rotation = names(value)
		default:
			err = fmt.Errorf("unknown key %q", key)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number+1, err)
		}
	}
	if f.team.Name == "" {
		return nil, fmt.Errorf("no team")
	}
	return f, nil
}

func parseOverrides(text string) ([]Override, error) {
	var all []Override
	for number, line := range strings.Split(text, "\n") {
		fields := strings.Fields(withoutComment(line))
		if len(fields) == 0 {
			continue
		}
		if len(fields) != 4 {
			return nil, fmt.Errorf("line %d: want team, from, to and who", number+1)
		}
		from, err := time.Parse(Layout, fields[1])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number+1, err)
		}
		to, err := time.Parse(Layout, fields[2])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number+1, err)
		}
		all = append(all, Override{Team: fields[0], From: from, To: to, Who: fields[3]})
	}
	return all, nil
}
