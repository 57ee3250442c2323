# Sends packets through what bin/build prints for the media zone. Exits 1 if any is off.

sh bin/check >/dev/null || { echo 'bin/check complains'; exit 1; }

sh bin/build media | awk '
function int_of(address,   part) {
    split(address, part, ".")
    return ((part[1] * 256 + part[2]) * 256 + part[3]) * 256 + part[4]
}
function holds(net, one,   x, size) {
    if (net == "any") return 1
    split(net, x, "/")
    size = 2 ^ (32 - x[2])
    return int(int_of(x[1]) / size) == int(int_of(one) / size)
}
function verdict(from, to, port, day,   i) {
    for (i = 1; i <= NR_RULES; i++) {
        if (!holds(net[i], from) || !holds(host[i], to)) continue
        if (ports[i] != "any" && ports[i] != port) continue
        if (first[i] != "-" && (day < first[i] || day > last[i])) continue
        return action[i]
    }
    return "deny"
}
function want(should, who, from, to, port, day,   got) {
    got = verdict(from, to, port, day)
    if (got != should) { print who " -> " to " " port " on " day ": " got; bad = 1 }
}
NF == 6 {
    NR_RULES++
    action[NR_RULES] = $1; net[NR_RULES] = $2; host[NR_RULES] = $3
    ports[NR_RULES] = $4; first[NR_RULES] = $5; last[NR_RULES] = $6
}
END {
    INGEST = "10.20.90.5"; ARCHIVE = "10.20.90.9"; PLAYOUT = "10.20.90.12"
    n = split("photo-desk=10.20.12.7 photo-store=10.20.30.200 studio=10.20.44.31", pair, " ")
    for (i = 1; i <= n; i++) {
        split(pair[i], p, "=")
        want("deny", p[1], p[2], INGEST, 8443, "2026-05-03")
        want("allow", p[1], p[2], INGEST, 8443, "2026-05-04")
        want("allow", p[1], p[2], INGEST, 8443, "2026-05-20")
        want("allow", p[1], p[2], INGEST, 8443, "2026-06-12")
        want("deny", p[1], p[2], INGEST, 8443, "2026-06-13")
        want("deny", p[1], p[2], INGEST, 22, "2026-05-20")
        want("deny", p[1], p[2], INGEST, 443, "2026-05-20")
        want("deny", p[1], p[2], ARCHIVE, 8443, "2026-05-20")
        want("deny", p[1], p[2], PLAYOUT, 8443, "2026-05-20")
    }
    n = split("reception=10.20.9.3 newsroom=10.20.8.3 atrium=10.20.14.1 dentist=10.20.40.9 annex=10.20.45.1 shopfloor=10.20.65.2 agency=192.0.2.17 world=198.51.100.4 office=10.20.31.1", pair, " ")
    for (i = 1; i <= n; i++) {
        split(pair[i], p, "=")
        want("deny", p[1], p[2], INGEST, 8443, "2026-05-20")
    }
    # what works, and what does not, stays
    d = "2026-05-20"
    want("allow", "edit suites", "10.20.88.4", INGEST, 8443, d)
    want("allow", "edit suites", "10.20.88.4", ARCHIVE, 22, d)
    want("allow", "newsroom", "10.20.8.3", INGEST, 22, d)
    want("allow", "newsroom", "10.20.8.3", ARCHIVE, 443, d)
    want("allow", "newsroom", "10.20.8.3", PLAYOUT, 443, d)
    want("allow", "world", "198.51.100.4", PLAYOUT, 443, d)
    want("deny", "world", "198.51.100.4", PLAYOUT, 22, d)
    want("deny", "photo-store", "10.20.30.200", PLAYOUT, 443, d)
    want("deny", "studio", "10.20.44.31", PLAYOUT, 443, d)
    want("deny", "dentist", "10.20.40.9", PLAYOUT, 443, d)
    want("allow", "photo desk", "10.20.12.7", PLAYOUT, 443, d)
    exit bad
}' || exit 1
[ "$(sh bin/build plant | cksum)" = "3587102991 164" ] || { echo 'the plant has changed'; exit 1; }
