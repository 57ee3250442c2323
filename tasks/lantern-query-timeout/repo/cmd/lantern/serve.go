package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"example.org/lantern/internal/config"
	"example.org/lantern/internal/plan"
	"example.org/lantern/internal/query"
	"example.org/lantern/internal/warehouse"
)

func serve(settings config.Config) error {
	limits, err := plan.ByName(settings.Plan)
	if err != nil {
		return err
	}
	budget := query.NewBudget(settings.Query, limits)
	rows := limits.Rows(settings.Query.MaxRows)
	http.HandleFunc("/v1/query", func(w http.ResponseWriter, r *http.Request) {
		err := query.Run(r.Context(), budget, func(ctx context.Context) error {
			return warehouse.Stream(ctx, w, r.URL.Query().Get("report"), rows)
		})
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			http.Error(w, "query cancelled: out of time", http.StatusRequestTimeout)
		case err != nil:
			http.Error(w, fmt.Sprint("query failed: ", err), http.StatusBadGateway)
		}
	})
	return http.ListenAndServe(":7070", nil)
}
