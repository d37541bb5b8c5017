import { createPrivateKey, X509Certificate } from "node:crypto";
import { connect, createServer, type TLSSocket } from "node:tls";
import { describe, expect, it } from "vitest";
import { addressBytes } from "./alternative-names.ts";
import {
  createAuthority,
  issueClientCertificate,
  issueServerCertificate,
  type KeyedCertificate,
  loadAuthority,
} from "./certificate-authority.ts";
import { certificateSubject } from "./certificate-subject.ts";
import { readElement, readElements, readObjectIdentifier } from "./der-reader.ts";
import { readTime, timeElement } from "./der-time.ts";
import { element, objectIdentifier, positiveInteger } from "./der-writer.ts";
import { needsRenewal } from "./renewal.ts";

const day = 86_400_000;
const nowMs = Date.now();
const lifetime = { nowMs, lifetimeMs: 365 * day };
const authority = createAuthority("milo-quota", lifetime);
const names = {
  commonName: "milo-quota",
  dnsNames: ["localhost", "*.milo.internal"],
  ipAddresses: ["127.0.0.1", "::1"],
};

const certificateOf = ({ certificatePem }: KeyedCertificate) => new X509Certificate(certificatePem);

describe("an authority", () => {
  it("signs itself, and may sign others", () => {
    const { certificate } = authority;
    expect(certificate.ca).toBe(true);
    expect(certificate.checkIssued(certificate)).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.subject).toBe("CN=milo-quota");
  });

  it("is the same after its files are read again", () => {
    const loaded = loadAuthority({ certificatePem: authority.certificatePem, privateKeyPem: authority.privateKeyPem });
    const issued = certificateOf(issueClientCertificate(loaded, { user: "alice", groups: [] }, lifetime));
    expect(issued.checkIssued(authority.certificate)).toBe(true);
    expect(issued.verify(authority.certificate.publicKey)).toBe(true);
  });

  it("is refused with the key of another, or without the right to sign", () => {
    const other = createAuthority("other", lifetime);
    expect(() => loadAuthority({ ...authority, privateKeyPem: other.privateKeyPem })).toThrow(
      /not that of its certificate/,
    );
    const client = issueClientCertificate(authority, { user: "alice", groups: [] }, lifetime);
    expect(() => loadAuthority(client)).toThrow(/not one of an authority/);
  });

  it("gives every certificate a number of its own", () => {
    const serials = Array.from({ length: 20 }, () =>
      certificateOf(issueClientCertificate(authority, { user: "alice", groups: [] }, lifetime)),
    ).map((certificate) => certificate.serialNumber);
    expect(new Set(serials).size).toBe(20);
    for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9A-F]{31}$/);
  });
});

describe("a server certificate", () => {
  const issued = issueServerCertificate(authority, names, lifetime);
  const certificate = certificateOf(issued);

  it("is issued by the authority, with the key that comes with it", () => {
    expect(certificate.checkIssued(authority.certificate)).toBe(true);
    expect(certificate.verify(authority.certificate.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(issued.privateKeyPem))).toBe(true);
    expect(certificate.ca).toBe(false);
  });

  it("is for its names and addresses and no others", () => {
    expect(certificate.checkHost("localhost")).toBe("localhost");
    expect(certificate.checkHost("a.milo.internal")).toBe("*.milo.internal");
    expect(certificate.checkHost("example.com")).toBeUndefined();
    expect(certificate.checkIP("127.0.0.1")).toBe("127.0.0.1");
    expect(certificate.checkIP("::1")).toBe("::1");
    expect(certificate.checkIP("127.0.0.2")).toBeUndefined();
  });

  it("is for servers alone", () => {
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
  });

  it("is not made for what is no name", () => {
    const make = (more: object) => () => issueServerCertificate(authority, { ...names, ...more }, lifetime);
    expect(make({ dnsNames: ["a b"] })).toThrow(/"a b" is not a DNS name/);
    expect(make({ ipAddresses: ["1.2.3"] })).toThrow(/"1.2.3" is not an IP address/);
    expect(make({ ipAddresses: ["fe80::1%eth0"] })).toThrow(/is not an IP address/);
  });
});

describe("a client certificate", () => {
  it("names a user and its groups, however they are spelled", () => {
    const client = { user: "zoë\nO=system:masters", groups: ["a,b", "dévs/CN=root", "system:masters"] };
    const certificate = certificateOf(issueClientCertificate(authority, client, lifetime));
    expect(certificateSubject(certificate)).toMatchObject({ commonName: client.user, organizations: client.groups });
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
  });

  it("is valid from a little before now until its time is over, to the second", () => {
    const certificate = certificateOf(
      issueClientCertificate(authority, { user: "a", groups: [] }, { nowMs, lifetimeMs: day }),
    );
    const { notBeforeMs, notAfterMs } = certificateSubject(certificate);
    expect(notAfterMs).toBe(Math.floor((nowMs + day) / 1000) * 1000);
    expect(notBeforeMs).toBe(Math.floor((nowMs - 300_000) / 1000) * 1000);
    expect(Date.parse(certificate.validTo)).toBe(notAfterMs);
    expect(Date.parse(certificate.validFrom)).toBe(notBeforeMs);
  });

  it("does not outlive its authority", () => {
    const long = { nowMs, lifetimeMs: 10_000 * day };
    const certificate = certificateOf(issueClientCertificate(authority, { user: "a", groups: [] }, long));
    expect(certificateSubject(certificate).notAfterMs).toBe(certificateSubject(authority.certificate).notAfterMs);
  });

  it("needs a name", () => {
    expect(() => issueClientCertificate(authority, { user: "", groups: [] }, lifetime)).toThrow(/name of a user/);
  });
});

describe("renewal", () => {
  const certificate = certificateOf(
    issueClientCertificate(authority, { user: "a", groups: [] }, { nowMs, lifetimeMs: 90 * day }),
  );
  const cases: Record<string, [days: number, needed: boolean]> = {
    "is not needed at once": [0, false],
    "is not needed while more than a third is left": [59, false],
    "is needed in the last third": [61, true],
    "is needed when it is over": [91, true],
    "is needed when its time has not come, because some clock was wrong": [-1, true],
  };
  for (const [name, [days, needed]] of Object.entries(cases)) {
    it(name, () => {
      const clock = { now: () => nowMs + days * day, after: () => ({ stop: () => undefined }) };
      expect(needsRenewal(certificate, clock)).toBe(needed);
    });
  }
});

describe("a handshake", () => {
  const server = issueServerCertificate(authority, names, lifetime);

  async function handshake(
    client: Partial<KeyedCertificate>,
  ): Promise<{ authorized: boolean; user: string | undefined }> {
    const listening = createServer({
      cert: server.certificatePem,
      key: server.privateKeyPem,
      ca: authority.certificatePem,
      requestCert: true,
      rejectUnauthorized: false,
    });
    await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
    const accepted = new Promise<TLSSocket>((resolve) => listening.once("secureConnection", resolve));
    const { port } = listening.address() as { port: number };
    const socket = connect({
      port,
      host: "127.0.0.1",
      ca: authority.certificatePem,
      cert: client.certificatePem,
      key: client.privateKeyPem,
    });
    const peer = await accepted;
    const certificate = peer.getPeerX509Certificate();
    const user = certificate === undefined ? undefined : certificateSubject(certificate).commonName;
    socket.destroy();
    peer.destroy();
    await new Promise((resolve) => listening.close(resolve));
    return { authorized: peer.authorized, user };
  }

  it("succeeds with certificates of the same authority, and shows the user", async () => {
    const client = issueClientCertificate(authority, { user: "alice", groups: ["devs"] }, lifetime);
    expect(await handshake(client)).toEqual({ authorized: true, user: "alice" });
  });

  it("shows certificates of others for what they are", async () => {
    const stranger = createAuthority("stranger", lifetime);
    const client = issueClientCertificate(stranger, { user: "alice", groups: [] }, lifetime);
    expect(await handshake(client)).toEqual({ authorized: false, user: "alice" });
  });

  it("succeeds without a client certificate", async () => {
    expect(await handshake({})).toEqual({ authorized: false, user: undefined });
  });
});

describe("the binary form", () => {
  const identifiers = ["2.5.4.3", "1.2.840.10045.4.3.2", "1.3.6.1.4.1.57683.2", "2.5.29.37.0", "0.9.2342"];
  for (const identifier of identifiers) {
    it(`writes and reads ${identifier}`, () => {
      expect(readObjectIdentifier(readElement(objectIdentifier(identifier)).content)).toBe(identifier);
    });
  }

  it("writes integers that stay positive, and as short as they can be", () => {
    expect(positiveInteger(Buffer.from([0, 0, 0x80])).toString("hex")).toBe("02020080");
    expect(positiveInteger(Buffer.from([0, 0])).toString("hex")).toBe("020100");
  });

  it("writes lengths of every size", () => {
    for (const length of [0, 127, 128, 255, 256, 70_000]) {
      expect(readElement(element(0x04, Buffer.alloc(length))).content.length).toBe(length);
    }
  });

  const times = [
    "1949-12-31T23:59:59Z",
    "1950-01-01T00:00:00Z",
    "1999-02-28T12:34:56Z",
    "2000-02-29T00:00:00Z",
    "2049-12-31T23:59:59Z",
    "2050-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
  ];
  for (const time of times) {
    it(`writes and reads ${time}`, () => {
      expect(readTime(readElement(timeElement(Date.parse(time))))).toBe(Date.parse(time));
    });
  }

  const broken: Record<string, string> = {
    "a length without its bytes": "3005",
    "a length of lengths that is cut off": "3082",
    "the indefinite form": "30800000",
    "a length of more than four bytes": "308500000000010000",
    "two elements where one is expected": "05000500",
    "nothing at all": "",
  };
  for (const [name, hex] of Object.entries(broken)) {
    it(`refuses ${name}`, () => {
      expect(() => readElement(Buffer.from(hex, "hex"))).toThrow(/element|length|end/);
    });
  }

  it("refuses times that are none", () => {
    for (const text of ["9913010000Z", "991301000000Z", "990230000000Z", "990101240000Z"]) {
      expect(() => readTime({ tag: 0x17, content: Buffer.from(text) })).toThrow(/time/);
    }
  });

  it("reads nothing beyond the end of an element, wherever bytes are cut", () => {
    const der = authority.certificate.raw;
    for (let length = 0; length < der.length; length += 1) {
      expect(() => readElement(der.subarray(0, length))).toThrow();
    }
    expect(readElements(readElement(der).content)).toHaveLength(3);
  });
});

describe("addresses", () => {
  const cases: Record<string, string> = {
    "10.0.0.255": "0a0000ff",
    "::": "00000000000000000000000000000000",
    "::1": "00000000000000000000000000000001",
    "2001:db8::ff00:42:8329": "20010db8000000000000ff0000428329",
    "1:2:3:4:5:6:7:8": "00010002000300040005000600070008",
    "fe80::": "fe800000000000000000000000000000",
    "::ffff:1.2.3.4": "00000000000000000000ffff01020304",
  };
  for (const [address, hex] of Object.entries(cases)) {
    it(`writes ${address}`, () => expect(addressBytes(address).toString("hex")).toBe(hex));
  }
});
