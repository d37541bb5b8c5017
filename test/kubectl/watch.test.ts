import { expect, it } from "vitest";
import { kubectlSuite } from "./kubectl-suite.ts";

kubectlSuite("kubectl get --watch", ({ run, start, stopServer }) => {
  it("shows existing objects and then changes until it is interrupted", async () => {
    await run("create configmap first");
    const watch = start("get configmaps --watch --output-watch-events");
    await watch.until("first");
    await run("create configmap second --from-literal=a=b");
    await watch.until("second");
    await run("label configmap first app=web");
    await watch.until("MODIFIED");
    await run("delete configmap second");
    await watch.until("DELETED");
    watch.interrupt();
    const { out } = await watch.ended;
    expect(out.replace(/ +\d+s$/gm, "").replace(/ +/g, " ")).toBe(
      "EVENT NAME DATA AGE\nADDED first 0\nADDED second 1\nMODIFIED first 0\nDELETED second 1\n",
    );
  });

  it("shows only changes with --watch-only", async () => {
    const watch = start("get configmaps --watch-only -l app=web -o name --request-timeout=30s");
    // Repeats changes, because the start of the watch is not visible.
    const labels = async (): Promise<void> => {
      for (let count = 0; !seen && count < 200; count++) await run(`label configmap first count=n${count} --overwrite`);
    };
    let seen = false;
    const changes = labels();
    expect(await watch.until("configmap/first\n")).toContain("configmap/first\n");
    seen = true;
    await changes;
    watch.interrupt();
    await watch.ended;
  });

  it("ends without an error when the server stops", async () => {
    const watch = start("get configmaps --watch");
    await watch.until("first");
    await run("create configmap third"); // when it is shown, the watch is open
    await watch.until("third");
    await stopServer();
    const { code, err } = await watch.ended;
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });

  it("reports that the server is not reachable", async () => {
    const { code, err } = await run("get configmaps");
    expect(code).toBe(1);
    expect(err).toMatch(
      /The connection to the server 127\.0\.0\.1:\d+ was refused - did you specify the right host or port\?/,
    );
  });
});
