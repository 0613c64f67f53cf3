// Database servers in containers of the images that scripts/setup.sh builds, each for one test file.

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import net from "node:net";

const IMAGES = { mysql: "idgen-mysql:9.7", mariadb: "idgen-mariadb:10.11", postgres: "idgen-postgres:18" };

const docker = (args, env = {}) => execFileSync("docker", args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });

/** A port that nobody listens on. It is below those of clients, so none takes it. */
const freePort = async () => {
  for (;;) {
    const port = 10_000 + (randomBytes(2).readUInt16BE() % 22_000);
    const server = net.createServer();
    const free = await new Promise((resolve) => server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true)));
    if (free) {
      await new Promise((resolve) => server.close(resolve));
      return port;
    }
  }
};

/** Starts a server, and waits until `connect` connects to it. `stop` removes it. */
export const startServer = async (flavor, connect) => {
  const name = `idgen-js-${flavor}-${randomBytes(8).toString("hex")}`;
  const password = randomBytes(18).toString("base64url");
  const port = await freePort();
  const options =
    flavor === "postgres"
      ? [`-cport=${port}`, "-clisten_addresses=127.0.0.1"]
      : [`--port=${port}`, "--bind-address=127.0.0.1", "--skip-name-resolve", ...(flavor === "mysql" ? ["--mysqlx=OFF"] : [])];
  const variable = flavor === "postgres" ? "POSTGRES_PASSWORD" : "MYSQL_ROOT_PASSWORD";
  const image = process.env[`IDGEN_${flavor.toUpperCase()}_IMAGE`] ?? IMAGES[flavor];
  // The password is in the environment, so that no list of processes shows it.
  const limits = ["--memory", "1696m", "--memory-swap", "1696m", "--label", "idgen-server", "--network", "host"];
  docker(["run", "--detach", "--rm", "--name", name, ...limits, "--env", variable, image, ...options], { [variable]: password });
  const stop = () => docker(["rm", "--force", "--volumes", name]);
  const settings = { host: "127.0.0.1", port, user: flavor === "postgres" ? "postgres" : "root", password };
  // No working server needs so long.
  for (const until = Date.now() + 600_000; ; ) {
    try {
      return { connection: await connect(settings), settings, stop };
    } catch (error) {
      if (Date.now() > until) {
        stop();
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
};
