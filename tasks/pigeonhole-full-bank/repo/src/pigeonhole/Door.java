package pigeonhole;

/** A door with the compartment behind it. */
final class Door {
    private final Integer number;
    private final Size size;
    private int uses;

    Door(Integer number, Size size) {
        this.number = number;
        this.size = size;
    }

    Integer number() {
        return number;
    }

    Size size() {
        return size;
    }

    /** How many parcels have left it. */
    int uses() {
        return uses;
    }

    void used() {
        uses++;
    }

    @Override
    public String toString() {
        return size + "" + number;
    }
}
