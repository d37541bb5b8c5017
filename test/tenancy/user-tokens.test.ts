import { randomBytes } from "node:crypto";
import { issueUserToken, parseUserToken } from "@milo-quota/quota/tenancy/user-token.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { person, TenantWorld, usersPath } from "./tenant-world.ts";

const secrets = "/api/v1/namespaces/milo-system/secrets";
const reviews = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

describe("user tokens", () => {
  let world: TenantWorld;

  beforeAll(async () => {
    world = await TenantWorld.start();
  });

  afterAll(() => world.stop());

  const whoIs = async (token: string) => {
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    const { code, body: answer } = await world.as(token).create(reviews, body);
    return code === 201 ? answer.status.userInfo : code;
  };

  it("authenticate a user with groups", async () => {
    const token = await world.token({ user: "alice", groups: ["team-a", "team-b"] });
    expect(await whoIs(token)).toEqual({ username: "alice", groups: ["team-a", "team-b", "system:authenticated"] });
  });

  it("are stored only as hashes", async () => {
    const token = await world.token({ user: "carol" });
    const stored = JSON.stringify((await world.server.get(secrets)).body);
    const key = token.split("-").slice(2).join("-");
    expect(stored).not.toContain(key);
    expect(stored).not.toContain(Buffer.from(key).toString("base64"));
  });

  it("are rejected if one character differs", async () => {
    const token = await world.token({ user: "alice" });
    for (const at of [4, 12, 21, token.length - 2]) {
      const wrong = token.slice(0, at) + (token[at] === "0" ? "1" : "0") + token.slice(at + 1);
      expect(await whoIs(wrong)).toBe(401);
    }
    for (const wrong of ["", "mqt-", token.slice(0, -1), `${token}x`, token.replace("mqt-", "mqt_")]) {
      expect([wrong, await whoIs(wrong)]).toEqual([wrong, 401]);
    }
  });

  it("expire", async () => {
    const token = await world.token({ user: "alice", expiresAtMs: world.clock.now() + 60_000 });
    expect(await whoIs(token)).toMatchObject({ username: "alice" });
    world.clock.advance(59_000);
    expect(await whoIs(token)).toMatchObject({ username: "alice" });
    world.clock.advance(1_000);
    expect(await whoIs(token)).toBe(401);
  });

  it("are revoked when their secret or their user is deleted", async () => {
    const { body: user } = await world.server.create(usersPath, person("dora"));
    const owner = { name: "dora", uid: user.metadata.uid };
    const [first, second] = [await world.token({ user: "dora", owner }), await world.token({ user: "dora", owner })];
    await world.server.remove(`${secrets}/user-token-${first.split("-")[1]}`);
    await world.server.until("the first has ended", async () => (await whoIs(first)) === 401);
    expect(await whoIs(second)).toMatchObject({ username: "dora" });
    await world.server.remove(`${usersPath}/dora`);
    await world.server.until("the second has ended", async () => (await whoIs(second)) === 401);
  });

  it("never give system:masters, for any content of the secret", async () => {
    for (const order of [{ user: "system:admin" }, { user: "eve", groups: ["system:masters"] }]) {
      expect(() => issueUserToken(order, randomBytes)).toThrow("names that start with system: are reserved");
      const { token, secret } = issueUserToken({ user: "eve" }, randomBytes);
      const encode = (text: string): string => Buffer.from(text).toString("base64");
      const data = { ...secret.data, user: encode(order.user), groups: encode((order.groups ?? []).join(",")) };
      await world.server.create(secrets, { ...secret, data });
      await world.server.settled();
      expect(await whoIs(token)).toBe(401);
    }
    expect(world.reported.some((text) => text.startsWith("user tokens: "))).toBe(true);
  });

  it("are read only from typed secrets in the system namespace of the root plane", async () => {
    const { token, secret } = issueUserToken({ user: "eve" }, randomBytes);
    const inDefault = { ...secret, metadata: { ...secret.metadata, namespace: "default" } };
    expect((await world.server.create("/api/v1/namespaces/default/secrets", inDefault)).code).toBe(201);
    const another = issueUserToken({ user: "eve" }, randomBytes);
    expect((await world.server.create(secrets, { ...another.secret, type: "Opaque" })).code).toBe(201);
    await world.server.settled();
    expect([await whoIs(token), await whoIs(another.token)]).toEqual([401, 401]);
  });

  const unreadable: Record<string, [data: Record<string, string>, because: string]> = {
    "no user": [{ hash: "a".repeat(64) }, "user: Required value"],
    "no hash": [{ user: "alice" }, "data.hash: Required value"],
    "an invalid hash": [{ user: "alice", hash: "abc" }, "data.hash: Required value"],
    "an invalid expiration": [
      { user: "alice", hash: "a".repeat(64), expiration: "soon" },
      "data.expiration: Invalid value",
    ],
  };
  for (const [what, [data, because]] of Object.entries(unreadable)) {
    it(`are rejected with ${what}`, () => {
      const encoded = Object.entries(data).map(([name, text]) => [name, Buffer.from(text).toString("base64")]);
      const parsed = parseUserToken({ data: Object.fromEntries(encoded) });
      const texts = parsed.ok ? [] : parsed.issues.map(({ field, message }) => `${field}: ${message}`);
      expect(texts.join("; ")).toContain(because);
    });
  }
});
