package config

import (
	"reflect"
	"testing"
)

func TestFromEnviron(t *testing.T) {
	got := fromEnviron([]string{"LANTERN__QUERY__MAX_ROWS=10", "LANTERN__PLAN=team", "LANTERN_ENV=x", "HOME=/"})
	want := map[string]any{"plan": "team", "query": map[string]any{"max_rows": 10}}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}
