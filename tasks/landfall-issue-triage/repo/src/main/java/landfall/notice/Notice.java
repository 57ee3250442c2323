package landfall.notice;

import landfall.core.Visit;

/** What a skipper is told when he has moored, and when he asks for a new code. */
public interface Notice {
    String text(Visit visit);
}
