// A server process for tests that kill it: `node server.js <directory>`.

import { serve } from "@milo-quota/apiserver/serve.ts";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";

/** Its output lines. */
export type ServerLine = `url ${string}` | `fault ${string}`;

const tell = (line: ServerLine): void => console.log(line);
const [directory = ""] = process.argv.slice(2);
const { url } = await serve({
  directory,
  host: "127.0.0.1",
  port: 0,
  token: "admin-token",
  clock: systemClock,
  report: (error) => tell(`fault ${error instanceof Error ? error.stack : String(error)}`),
});
tell(`url ${url}`);
