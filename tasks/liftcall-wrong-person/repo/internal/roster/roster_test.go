package roster

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(Layout, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func load(t *testing.T, files map[string]string) map[string]*Team {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	teams, err := Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	return teams
}

const north = "team north\nstart 2025-01-06T08:00\nshift 7d\nrotation ida, jon, kim\n"

func TestRotation(t *testing.T) {
	team := load(t, map[string]string{"north.roster": north})["north"]
	for text, want := range map[string]string{
		"2025-01-06T09:00": "ida",
		"2025-01-13T08:30": "jon",
		"2025-01-26T23:59": "kim",
		"2025-01-27T12:00": "ida",
	} {
		if got := team.At(moment(t, text)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestLike(t *testing.T) {
	team := load(t, map[string]string{
		"a.roster": "team south\nlike north\nplus lou\n",
		"b.roster": north,
	})["south"]
	if got := team.At(moment(t, "2025-01-28T12:00")); got != "lou" {
		t.Error(got)
	}
}

func TestSwap(t *testing.T) {
	team := load(t, map[string]string{
		"north.roster":  north,
		"overrides.txt": "north 2025-01-07T18:00 2025-01-08T08:00 lou # dentist\r\n",
	})["north"]
	if got := team.At(moment(t, "2025-01-07T19:00")); got != "lou" {
		t.Error(got)
	}
	if got := team.At(moment(t, "2025-01-08T09:00")); got != "ida" {
		t.Error(got)
	}
}

func TestSelfLike(t *testing.T) {
	folder := t.TempDir()
	os.WriteFile(filepath.Join(folder, "a.roster"), []byte("team a\nlike b\n"), 0o644)
	os.WriteFile(filepath.Join(folder, "b.roster"), []byte("team b\nlike a\n"), 0o644)
	if _, err := Load(folder); err == nil {
		t.Error("no error")
	}
}
