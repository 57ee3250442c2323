package pigeonhole;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Replays a file of events on a site. */
public final class Main {
    private Main() {
    }

    public static void main(String[] args) throws IOException {
        if (args.length != 2) {
            System.err.println("usage: pigeonhole.Main SITE EVENTS");
            System.exit(2);
        }
        Box box = new Box(new Bank(Site.parse(Files.readAllLines(Path.of(args[0])))));
        StringBuilder answers = new StringBuilder();
        for (String event : Files.readAllLines(Path.of(args[1]))) {
            if (!event.isBlank()) {
                answers.append(box.answer(event)).append('\n');
            }
        }
        System.out.print(answers);
    }
}
