package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"example.org/liftcall/internal/payroll"
	"example.org/liftcall/internal/roster"
)

var errUsage = errors.New("usage: liftcall [-rosters DIR] who TEAM TIME | week TEAM DATE | hours FROM TO")

func main() {
	folder := flag.String("rosters", "rosters", "folder of the rosters")
	flag.Parse()
	if err := run(*folder, flag.Args(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "liftcall:", err)
		os.Exit(1)
	}
}

func run(folder string, args []string, out io.Writer) error {
	if len(args) != 3 {
		return errUsage
	}
	teams, err := roster.Load(folder)
	if err != nil {
		return err
	}
	if args[0] == "hours" {
		from, to, err := days(args[1], args[2])
		if err != nil {
			return err
		}
		for _, line := range payroll.Hours(teams, from, to) {
			fmt.Fprintln(out, line)
		}
		return nil
	}
	team, known := teams[args[1]]
	if !known {
		return fmt.Errorf("no team %q", args[1])
	}
	switch args[0] {
	case "who":
		at, err := time.Parse(roster.Layout, args[2])
		if err != nil {
			return err
		}
		fmt.Fprintln(out, team.At(at))
	case "week":
		from, _, err := days(args[2], args[2])
		if err != nil {
			return err
		}
		for _, s := range team.Segments(from, from.AddDate(0, 0, 7)) {
			fmt.Fprintln(out, s.From.Format(roster.Layout), s.To.Format(roster.Layout), s.Who)
		}
	default:
		return errUsage
	}
	return nil
}

func days(from, to string) (a, b time.Time, err error) {
	if a, err = time.Parse("2006-01-02", from); err != nil {
		return
	}
	b, err = time.Parse("2006-01-02", to)
	return
}
