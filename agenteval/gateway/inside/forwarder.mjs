// node forwarder.mjs SOCKET PORT: a port of this sandbox leads to a unix socket.
// Says "ready" and closes its output once the port is open.
import fs from "node:fs";
import net from "node:net";

const [socket, port] = process.argv.slice(2);
for (const name of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(name, () => {});
net
  .createServer({ allowHalfOpen: true }, (near) => {
    const far = net.connect({ path: socket, allowHalfOpen: true });
    near.setNoDelay(true);
    const end = () => {
      near.destroy();
      far.destroy();
    };
    near.on("error", end);
    far.on("error", end);
    near.pipe(far);
    far.pipe(near);
  })
  .listen(Number(port), "127.0.0.1", () => {
    fs.writeSync(1, "ready");
    fs.closeSync(1);
    fs.openSync("/dev/null", "r+"); // takes the number 1, which a connection must not have
  });
