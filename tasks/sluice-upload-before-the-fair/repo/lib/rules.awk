# Reading conf/ and zones/. Used by bin/check and bin/build:
#   awk -f lib/rules.awk -f MORE conf/networks conf/groups zones/X.rules

function int_of(address,   part) {
    split(address, part, ".")
    return ((part[1] * 256 + part[2]) * 256 + part[3]) * 256 + part[4]
}

# does network a (address/bits) hold all of network b?
function holds(a, b,   x, y, size) {
    if (a == "any") return 1
    if (b == "any") return 0
    split(a, x, "/"); split(b, y, "/")
    if (x[2] > y[2]) return 0
    size = 2 ^ (32 - x[2])
    return int(int_of(x[1]) / size) == int(int_of(y[1]) / size)
}

# addresses that a name stands for, with blanks between
function addresses(name,   n, member, i, out) {
    if (name == "any") return "any"
    if (name in address) return address[name]
    if (!(name in group)) return ""
    n = split(group[name], member, " ")
    for (i = 1; i <= n; i++) {
        if (!(member[i] in address)) return ""
        out = out (i > 1 ? " " : "") address[member[i]]
    }
    return out
}

FILENAME ~ /conf\/networks$/ {
    if ($1 !~ /^#/ && NF == 3) { address[$1] = $2; zone_of[$1] = $3 }
    next
}

FILENAME ~ /conf\/groups$/ {
    if ($1 !~ /^#/ && $2 == "=") {
        name = $1; $1 = ""; $2 = ""; sub(/^ +/, "")
        group[name] = $0
    }
    next
}

# a rule: fills action, source, host, port, first, last, ticket
function read_rule(line,   half, comment, word, n, i) {
    comment = ""
    if (index(line, "#")) {
        comment = substr(line, index(line, "#") + 1)
        line = substr(line, 1, index(line, "#") - 1)
    }
    n = split(line, word, " ")
    if (n == 0) return 0
    action = word[1]; source = word[2]; host = word[4]; port = word[5]
    wellformed = (n == 5 && word[3] == "->" && (action == "allow" || action == "deny") && (port == "any" || port ~ /^[0-9]+$/))
    first = "-"; last = "-"; ticket = ""
    n = split(comment, word, "[ ,]+")
    for (i = 1; i <= n; i++) {
        if (word[i] ~ /^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]\.\.[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]$/) {
            first = substr(word[i], 1, 10); last = substr(word[i], 13, 10)
        }
        if (word[i] ~ /^NET-[0-9]+$/) ticket = word[i]
    }
    return 1
}
