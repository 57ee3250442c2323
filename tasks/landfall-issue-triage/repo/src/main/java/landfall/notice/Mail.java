package landfall.notice;

import landfall.core.Codes;
import landfall.core.Stay;
import landfall.core.Visit;

/** The mail with the code, once the boat is there. */
public final class Mail implements Notice {
    private final Stay stay;

    public Mail(Stay stay) {
        this.stay = stay;
    }

    @Override
    public String text(Visit visit) {
        return "Welcome. Your visit is number " + visit.id + ".\n\n"
                + "Code for the gate: " + Codes.text(visit.code()) + "\n"
                + "Your berth is yours until " + Texts.until(stay.deadline(visit)) + ".\n";
    }
}
