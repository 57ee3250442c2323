// Package warehouse speaks to the warehouse's HTTP interface.
package warehouse

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"

	"example.org/lantern/internal/query"
)

// The warehouse has a limit of its own, 30 minutes, set by its operators.
var client = &http.Client{}

// Stream writes the rows of a report, at most limit of them (0: all).
func Stream(ctx context.Context, w io.Writer, report string, limit int) error {
	address := os.Getenv("WAREHOUSE_URL") + "/reports/" + url.PathEscape(report)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("%w: %v", query.ErrConnection, err)
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for n := 0; lines.Scan() && (limit == 0 || n < limit); n++ {
		if _, err := fmt.Fprintln(w, lines.Text()); err != nil {
			return err
		}
	}
	return lines.Err()
}
