// The server as people run it, on a data folder, for a test that kills it: `node server.js <directory>`.

import { serve } from "../../src/apiserver/serve.ts";
import { systemClock } from "../../src/apiserver/system-clock.ts";

const [directory = ""] = process.argv.slice(2);
const { url } = await serve({
  directory,
  host: "127.0.0.1",
  port: 0,
  token: "admin-token",
  clock: systemClock,
  report: (error) => console.log(`fault ${error instanceof Error ? error.stack : String(error)}`),
});
console.log(`url ${url}`);
