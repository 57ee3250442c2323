package landfall.core;

/** A place at the pontoon. `club` ones are kept for members of the club. */
public final class Berth {
    public final int number;
    public final Size size;
    public final boolean club;
    private Visit visit;

    public Berth(int number, Size size, boolean club) {
        this.number = number;
        this.size = size;
        this.club = club;
    }

    public boolean free() {
        return visit == null;
    }

    public Visit visit() {
        return visit;
    }

    void take(Visit visit) {
        this.visit = visit;
    }

    void empty() {
        visit = null;
    }
}
