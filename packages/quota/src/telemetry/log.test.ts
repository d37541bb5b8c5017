import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { describe, expect, it } from "vitest";
import { ErrorReports } from "./error-reports.ts";
import { createLog } from "./log.ts";
import type { LogLevel } from "./log-levels.ts";

function logged(form: "readable" | "json", level: LogLevel = "info") {
  const lines: string[] = [];
  const log = createLog({ form, level, now: () => "2026-01-31T12:34:56Z", write: (line) => lines.push(line) });
  return { log, lines };
}

function reports() {
  const { log, lines } = logged("readable");
  let nowMs = 0;
  const errors = new ErrorReports(log, () => nowMs);
  return { lines, errors, pass: (ms: number) => (nowMs += ms) };
}

describe("the log", () => {
  it("is one line of JSON for each message", () => {
    const { log, lines } = logged("json");
    log.info("ready", { port: 6443 });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { level: "info", time: "2026-01-31T12:34:56Z", port: 6443, message: "ready" },
    ]);
    expect(lines[0]?.endsWith("\n")).toBe(true);
  });

  it("is readable in a terminal", () => {
    const { log, lines } = logged("readable");
    log.warn("slow", { ms: 12 });
    expect(lines).toEqual(["12:34:56 WARN  slow ms=12\n"]);
  });

  it("escapes control characters in a terminal", () => {
    const { log, lines } = logged("readable");
    log.warn("name \u001b[2J\u202e");
    expect(lines).toEqual(["12:34:56 WARN  name \\u001b[2J\\u202e\n"]);
  });

  const shown: Record<LogLevel, readonly LogLevel[]> = {
    error: ["error"],
    warn: ["error", "warn"],
    info: ["error", "warn", "info"],
    debug: ["error", "warn", "info", "debug"],
  };
  it.each(Object.entries(shown))("of level %s omits lower levels", (level, expected) => {
    const { log, lines } = logged("json", level as LogLevel);
    for (const name of ["error", "warn", "info", "debug"] as const) log[name]("said");
    expect(lines.map((line) => JSON.parse(line).level)).toEqual(expected);
  });
});

describe("error reports", () => {
  it("have the code and the message of an error response, and nothing else", () => {
    const { errors, lines } = reports();
    errors.report("grants", new StatusError(failure("Conflict", "the object has been modified", { name: "a" })));
    expect(lines).toEqual(["12:34:56 WARN  grants: 409 the object has been modified\n"]);
  });

  it("have no stack for network errors", () => {
    const { errors, lines } = reports();
    errors.report("lease", Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" }));
    expect(lines).toEqual(["12:34:56 WARN  lease: connect ECONNREFUSED 127.0.0.1:1\n"]);
  });

  it("have no stack for mistakes in user-written objects", () => {
    const { errors, lines } = reports();
    const mistake = Object.assign(new Error('policy "a": no such key: size'), { isExpected: true });
    errors.report("claims for stored objects", mistake);
    expect(lines).toEqual(['12:34:56 WARN  claims for stored objects: policy "a": no such key: size\n']);
  });

  it("have a stack for unexpected errors", () => {
    const { errors, lines } = reports();
    errors.report("audit", new TypeError("undefined is not a claim"));
    expect(lines[0]).toMatch(/^12:34:56 ERROR audit: undefined is not a claim\n {4}at /);
  });

  const terminating = failure("Forbidden", "namespace a is being terminated", {
    causes: [
      { reason: "NamespaceTerminating", message: "namespace a is being terminated", field: "metadata.namespace" },
    ],
  });
  const passing: Record<string, StatusError> = {
    "objects that are not found": new StatusError(failure("NotFound", 'projects "web" not found')),
    "namespaces that are terminating": new StatusError(terminating),
  };
  for (const [name, error] of Object.entries(passing)) {
    it(`of ${name} are logged only when they persist`, () => {
      const { errors, lines, pass } = reports();
      for (let times = 0; times < 10; times += 1) {
        errors.report("bucket writer", error);
        pass(999);
      }
      errors.flush();
      expect(lines).toEqual([]);
      pass(10);
      errors.report("bucket writer", error);
      expect(lines).toEqual([expect.stringContaining(`WARN  bucket writer: ${error.status.code} ${error.message}`)]);
    });
  }

  it("of objects that are not found are not logged when they have stopped meanwhile", () => {
    const { errors, lines, pass } = reports();
    for (let times = 0; times < 3; times += 1) {
      errors.report("claims", new StatusError(failure("NotFound", "gone")));
      pass(120_000);
    }
    expect(lines).toEqual([]);
  });

  it("of objects that are not found are not logged when another object of the name is deleted later", () => {
    const { errors, lines, pass } = reports();
    for (let deletions = 0; deletions < 3; deletions += 1) {
      for (let times = 0; times < 2; times += 1) errors.report("claims", new StatusError(failure("NotFound", "gone")));
      pass(60_000);
    }
    expect(lines).toEqual([]);
  });

  it("of other error responses are logged at once", () => {
    const { errors, lines } = reports();
    errors.report("claims", new StatusError(failure("Forbidden", "no")));
    expect(lines).toEqual(["12:34:56 WARN  claims: 403 no\n"]);
  });

  it("are logged once in ten seconds, with the number of repeats", () => {
    const { errors, lines, pass } = reports();
    const again = (): void => errors.report("grants", new StatusError(failure("Conflict", "faster")));
    for (let times = 0; times < 100; times += 1) again();
    expect(lines).toEqual(["12:34:56 WARN  grants: 409 faster\n"]);
    pass(10_000);
    again();
    expect(lines.slice(1)).toEqual(["12:34:56 WARN  grants: 409 faster repeats=100\n"]);
  });

  it("are logged with growing intervals while an error continues, and at once when it returns", () => {
    const { errors, lines, pass } = reports();
    const again = (): void => errors.report("grants", new StatusError(failure("Conflict", "faster")));
    const during = (ms: number): number => {
      const before = lines.length;
      for (let passed = 0; passed < ms; passed += 20_000) {
        again();
        pass(20_000);
      }
      return lines.length - before;
    };
    expect(during(600_000)).toBe(4);
    expect(during(86_400_000)).toBeLessThanOrEqual(26);
    pass(900_000);
    const before = lines.length;
    again();
    expect(lines.slice(before)).toContain("12:34:56 WARN  grants: 409 faster\n");
  });

  it("are flushed in the end", () => {
    const { errors, lines } = reports();
    for (let times = 0; times < 3; times += 1) errors.report("audit", new TypeError("odd"));
    errors.flush();
    expect(lines[1]).toBe("12:34:56 ERROR audit: odd repeats=2\n");
    errors.flush();
    expect(lines).toHaveLength(2);
  });

  it("of different errors are independent, and their number is bounded", () => {
    const { errors, lines } = reports();
    for (let at = 0; at < 5_000; at += 1) errors.report(`claims of ${at}`, "gone");
    expect(lines).toHaveLength(5_000);
    errors.report("claims of 4999", "gone");
    expect(lines).toHaveLength(5_000);
    errors.report("claims of 0", "gone");
    expect(lines).toHaveLength(5_001);
  });
});
