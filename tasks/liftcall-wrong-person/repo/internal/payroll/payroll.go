// Package payroll counts hours on call.
package payroll

import (
	"fmt"
	"strconv"
	"time"

	"example.org/liftcall/internal/roster"
)

// Hours are everybody's hours between two moments, as lines "ida 168".
func Hours(teams map[string]*roster.Team, from, to time.Time) []string {
	total := map[string]time.Duration{}
	for _, team := range teams {
		for _, segment := range team.Segments(from, to) {
			total[segment.Who] += segment.To.Sub(segment.From)
		}
	}
	var lines []string
	for who, duration := range total {
		hours := strconv.FormatFloat(duration.Hours(), 'f', -1, 64)
		lines = append(lines, fmt.Sprintf("%s %s", who, hours))
	}
	return lines
}
