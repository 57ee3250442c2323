package landfall.api;

import java.util.List;
import landfall.core.Size;
import landfall.core.Visit;
import landfall.core.Visits;
import landfall.notice.Notice;

/** What the booking site and the harbour master's tablet call. */
public final class Office {
    private final Visits visits;
    private final Notice notice;

    public Office(Visits visits, Notice notice) {
        this.visits = visits;
        this.notice = notice;
    }

    /** 201 with the berth, or 409 if there is none. */
    public String reserve(String id, String size, String skipper) {
        return visits.reserve(id, Size.valueOf(size), skipper, false)
                .map(b -> "201 berth " + b.number)
                .orElse("409 no berth free");
    }

    /** 201, with what was sent to the skipper. */
    public String arrive(String id) {
        return "201 " + notice.text(visits.arrive(id));
    }

    public String resend(String id) {
        return "201 " + notice.text(visits.resend(id));
    }

    public String leave(String id) {
        visits.leave(id);
        return "204";
    }

    public List<String> overdue() {
        return visits.overdue().stream().map((Visit visit) -> visit.id).toList();
    }
}
