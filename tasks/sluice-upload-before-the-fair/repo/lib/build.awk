read_rule($0) {
    n = split(addresses(source), from, " ")
    m = split(addresses(host), to, " ")
    for (i = 1; i <= n; i++)
        for (j = 1; j <= m; j++)
            print action, from[i], to[j], port, first, last
}
