import type { RequestHeaders } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import { describe, expect, it } from "vitest";
import type { RequestAttributes } from "../authorizer.ts";
import { impersonatedUser, PlainFailure } from "./impersonation.ts";

const signal = new AbortController().signal;
const root: UserInfo = { username: "root", uid: "", groups: ["ops"], extra: {} };

async function impersonate(headers: RequestHeaders, allows: (attributes: RequestAttributes) => boolean = () => true) {
  const seen: string[] = [];
  const authorizer = {
    authorize: async (attributes: RequestAttributes) => {
      const { verb, plane, group, resource, subresource, namespace, name } = attributes;
      seen.push(
        `${verb} ${plane} ${group}/${resource}/${subresource} ${namespace}/${name} by ${attributes.user.username}`,
      );
      return { outcome: allows(attributes) ? ("allow" as const) : ("none" as const), reason: "" };
    },
  };
  const request = { path: "/api/v1/pods", uri: "/api/v1/pods?limit=3", plane: "p", headers };
  try {
    return { seen, user: await impersonatedUser(request, root, authorizer, signal) };
  } catch (error) {
    if (error instanceof PlainFailure) return { seen, rejection: `${error.code} ${error.message}` };
    if (!(error instanceof StatusError)) throw error;
    return { seen, rejection: `${error.status.code} ${error.message}` };
  }
}

describe("impersonation", () => {
  it("without headers keeps the user", async () => {
    expect(await impersonate({ authorization: ["x"] })).toEqual({ seen: [], user: root });
  });

  const cases: Record<string, [headers: RequestHeaders, seen: string[], user: UserInfo]> = {
    "of a user": [
      { "impersonate-user": ["alice"] },
      ["impersonate p /users/ /alice by root"],
      { username: "alice", uid: "", groups: ["system:authenticated"], extra: {} },
    ],
    "of a user with groups": [
      { "impersonate-user": ["alice"], "impersonate-group": ["a", "b"] },
      [
        "impersonate p /users/ /alice by root",
        "impersonate p /groups/ /a by root",
        "impersonate p /groups/ /b by root",
      ],
      { username: "alice", uid: "", groups: ["a", "b", "system:authenticated"], extra: {} },
    ],
    "of an unauthenticated user": [
      { "impersonate-user": ["alice"], "impersonate-group": ["system:unauthenticated"] },
      ["impersonate p /users/ /alice by root", "impersonate p /groups/ /system:unauthenticated by root"],
      { username: "alice", uid: "", groups: ["system:unauthenticated"], extra: {} },
    ],
    "without a user": [
      { "impersonate-user": ["system:anonymous"] },
      ["impersonate p /users/ /system:anonymous by root"],
      { username: "system:anonymous", uid: "", groups: ["system:unauthenticated"], extra: {} },
    ],
    "of a service account adds its default groups": [
      { "impersonate-user": ["system:serviceaccount:shop:robot"] },
      ["impersonate p /serviceaccounts/ shop/robot by root"],
      {
        username: "system:serviceaccount:shop:robot",
        uid: "",
        groups: ["system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"],
        extra: {},
      },
    ],
    "of a service account with other groups": [
      { "impersonate-user": ["system:serviceaccount:shop:robot"], "impersonate-group": ["a"] },
      ["impersonate p /serviceaccounts/ shop/robot by root", "impersonate p /groups/ /a by root"],
      { username: "system:serviceaccount:shop:robot", uid: "", groups: ["a", "system:authenticated"], extra: {} },
    ],
    "of a name that only looks like a service account": [
      { "impersonate-user": ["system:serviceaccount:shop"] },
      ["impersonate p /users/ /system:serviceaccount:shop by root"],
      { username: "system:serviceaccount:shop", uid: "", groups: ["system:authenticated"], extra: {} },
    ],
    "with a uid and extra values": [
      {
        "impersonate-user": ["alice"],
        "impersonate-uid": ["42"],
        "impersonate-extra-acme.com%2fscopes": ["view", "edit"],
        "impersonate-extra-__proto__": ["x"],
      },
      [
        "impersonate p /users/ /alice by root",
        "impersonate p authentication.k8s.io/userextras/acme.com/scopes /view by root",
        "impersonate p authentication.k8s.io/userextras/acme.com/scopes /edit by root",
        "impersonate p authentication.k8s.io/userextras/__proto__ /x by root",
        "impersonate p authentication.k8s.io/uids/ /42 by root",
      ],
      {
        username: "alice",
        uid: "42",
        groups: ["system:authenticated"],
        extra: Object.fromEntries([
          ["acme.com/scopes", ["view", "edit"]],
          ["__proto__", ["x"]],
        ]),
      },
    ],
  };
  for (const [name, [headers, seen, user]] of Object.entries(cases)) {
    it(name, async () => expect(await impersonate(headers)).toEqual({ seen, user }));
  }

  const rejections: Record<string, [headers: RequestHeaders, rejection: string]> = {
    "of a forbidden group": [
      { "impersonate-user": ["alice"], "impersonate-group": ["system:masters"] },
      '403 groups "system:masters" is forbidden: User "root" cannot impersonate resource "groups" in API group "" at the cluster scope',
    ],
    "with a forbidden extra value": [
      { "impersonate-user": ["alice"], "impersonate-extra-scopes": ["all"] },
      '403 userextras.authentication.k8s.io "all" is forbidden: User "root" cannot impersonate resource "userextras/scopes" in API group "authentication.k8s.io" at the cluster scope',
    ],
    "of a group without a user": [
      { "impersonate-group": ["devs"] },
      '500 Internal Server Error: "/api/v1/pods?limit=3": requested [{Group  devs    }] without impersonating a user',
    ],
    "of a uid without a user": [
      { "impersonate-uid": ["42"] },
      '500 Internal Server Error: "/api/v1/pods?limit=3": requested [{UID  42  authentication.k8s.io/v1  }] without impersonating a user',
    ],
  };
  for (const [name, [headers, rejection]] of Object.entries(rejections)) {
    it(`${name} is rejected`, async () => {
      const answer = await impersonate(headers, ({ resource }) => resource === "users");
      expect(answer.rejection).toBe(rejection);
    });
  }

  it("of too many groups and extra values is rejected", async () => {
    const groups = Array.from({ length: 1_000 }, (_, index) => `g${index}`);
    const answer = await impersonate({ "impersonate-user": ["alice"], "impersonate-group": groups });
    expect(answer).toEqual({ seen: [], rejection: "400 at most 1000 groups and extra values can be impersonated" });
  });
});
