#!/usr/bin/env node
// Where the process starts. The version is printed before anything else is loaded: scripts ask for it often.
import packageJson from "../../../package.json" with { type: "json" };

// A reader may close our output early, as `head` does. A command still finishes what it has begun, and does not complain.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

const { version } = packageJson;
if (["--version", "-V"].includes(process.argv[2] ?? "")) console.log(version);
else await (await import("./command-line.ts")).runCommand(version);
