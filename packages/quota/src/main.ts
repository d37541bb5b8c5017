#!/usr/bin/env node
// Entry point of the process. Prints --version before loading anything else, because scripts call it often.
import packageJson from "../../../package.json" with { type: "json" };

// A closed pipe, as in `... | head`, is not an error: the command runs to its end.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

const { version } = packageJson;
if (["--version", "-V"].includes(process.argv[2] ?? "")) console.log(version);
else await (await import("./command-line.ts")).runCommand(version);
