package landfall.core;

import java.time.Instant;

/** One boat that comes, from the booking on. */
public final class Visit {
    public final String id;
    public final Size size;
    public final String skipper;
    public final Instant createdAt;
    private Instant arrivedAt;
    private int code;

    public Visit(String id, Size size, String skipper, Instant createdAt) {
        this.id = id;
        this.size = size;
        this.skipper = skipper;
        this.createdAt = createdAt;
    }

    public boolean arrived() {
        return arrivedAt != null;
    }

    public Instant arrivedAt() {
        return arrivedAt;
    }

    public int code() {
        return code;
    }

    void arrive(Instant now, int code) {
        arrivedAt = now;
        this.code = code;
    }

    void newCode(int code) {
        this.code = code;
    }
}
