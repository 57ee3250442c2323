# wants zone, max_days, max_rules

function day_number(date,   y, m, d) {
    y = substr(date, 1, 4) + 0; m = substr(date, 6, 2) + 0; d = substr(date, 9, 2) + 0
    if (m <= 2) { y--; m += 12 }
    return 365 * y + int(y / 4) - int(y / 100) + int(y / 400) + int((153 * (m - 3) + 2) / 5) + d
}

function complain(letter, text) {
    if ((base ": " shown) in excepted) return
    print letter "  " base ":" FNR ": " text
    bad = 1
}

function outside(name,   n, member, i) {
    if (name == "any") return 0
    if (name in zone_of) return zone_of[name] != zone
    n = split(group[name], member, " ")
    for (i = 1; i <= n; i++) if (zone_of[member[i]] != zone) return 1
    return 0
}

# does an earlier rule take all that this one could match?
function shadowed(   k, i, n, from, covered) {
    n = split(addresses(source), from, " ")
    for (k = 1; k < rules; k++) {
        if (was_port[k] != "any" && was_port[k] != port) continue
        if (was_days[k]) continue
        if (!holds(was_to[k], addresses(host))) continue
        covered = 1
        for (i = 1; i <= n; i++) if (!covers(was_from[k], from[i])) covered = 0
        if (covered) return was_line[k]
    }
    return 0
}

function covers(list, one,   n, each, i) {
    n = split(list, each, " ")
    for (i = 1; i <= n; i++) if (holds(each[i], one)) return 1
    return 0
}

FILENAME ~ /conf\/exceptions$/ {
    if ($1 !~ /^#/ && NF) { $1 = $1; excepted[$0] = 1 }
    next
}

FILENAME ~ /conf\/public-ports$/ { public[$1] = 1; next }

read_rule($0) {
    base = FILENAME; sub(/.*\//, "", base)
    shown = action " " source " -> " host " " port
    rules++
    last_rule = shown
    if (!wellformed) { complain("A", "cannot read this"); next }
    if (addresses(source) == "") complain("A", "nobody knows " source)
    if (addresses(host) == "") complain("A", "nobody knows " host)
    if (action == "allow" && source == "any" && !(port in public)) complain("B", "port " port " is not for everybody")
    if (action == "allow" && outside(source)) {
        if (first == "-") complain("C", "no first and last day")
        else if (last < first || day_number(last) - day_number(first) > max_days) complain("C", "too long, or the wrong way round")
        if (ticket == "") complain("C", "no ticket")
    }
    above = shadowed()
    if (above) complain("D", "can never match, line " above " takes it")
    was_from[rules] = addresses(source); was_to[rules] = addresses(host); was_port[rules] = port
    was_days[rules] = (first != "-"); was_line[rules] = FNR
}

END {
    shown = ""
    if (last_rule != "deny any -> any any") complain("E", "does not end with deny any -> any any")
    if (rules > max_rules) complain("F", rules " rules, " max_rules " are allowed")
    exit bad
}
