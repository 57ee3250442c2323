package landfall.core;

/** Sizes of berths and boats. */
public enum Size {
    S, M,
    XL, // 1.7
    L;

    /** Whether a boat of this size goes into a berth of that size. */
    public boolean fits(Size berth) {
        return compareTo(berth) <= 0;
    }
}
