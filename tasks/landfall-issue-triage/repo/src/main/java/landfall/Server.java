package landfall;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import landfall.api.Gate;
import landfall.api.Office;
import landfall.core.Stay;
import landfall.core.Visits;
import landfall.notice.Mail;
import landfall.notice.Sms;

/** Plain HTTP on the machine's own network. The gate and the proxy of the booking site, nobody else. */
final class Server {
    private final Gate gate;
    private final Office byMail;
    private final Office bySms;

    Server(Visits visits, Stay stay) {
        gate = new Gate(visits);
        byMail = new Office(visits, new Mail(stay));
        bySms = new Office(visits, new Sms());
    }

    void listen(int port) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.createContext("/", exchange -> {
            String[] words = exchange.getRequestURI().getPath().substring(1).split("/");
            byte[] answer = answer(words).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
    }

    private String answer(String[] words) {
        return switch (words[0]) {
            case "type" -> gate.type(words[1]);
            case "reserve" -> byMail.reserve(words[1], words[2], words[3]);
            case "arrive" -> (words[2].equals("sms") ? bySms : byMail).arrive(words[1]);
            case "resend" -> (words[2].equals("sms") ? bySms : byMail).resend(words[1]);
            case "leave" -> byMail.leave(words[1]);
            case "overdue" -> String.join("\n", byMail.overdue());
            default -> "404";
        };
    }
}
