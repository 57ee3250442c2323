package pigeonhole;

/** A parcel behind a door. */
final class Parcel {
    private final String id;
    private final Integer door;
    private final long deadline;

    /** @param deadline minutes since 1970 */
    Parcel(String id, Integer door, long deadline) {
        this.id = id;
        this.door = door;
        this.deadline = deadline;
    }

    String id() {
        return id;
    }

    Integer door() {
        return door;
    }

    long deadline() {
        return deadline;
    }
}
