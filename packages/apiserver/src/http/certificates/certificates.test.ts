import { createPrivateKey, generateKeyPairSync, X509Certificate } from "node:crypto";
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
import { timeElement } from "./der-time.ts";
import { element, objectIdentifier, positiveInteger, sequence } from "./der-writer.ts";
import { attributeIdentifiers, nameElement } from "./distinguished-name.ts";
import { authorityExtensions } from "./extensions.ts";
import { needsRenewal } from "./renewal.ts";
import { signedCertificate } from "./signed-certificate.ts";

const day = 86_400_000;
const nowMs = Date.now();
const lifetime = { nowMs, lifetimeMs: 365 * day };
const authority = createAuthority("milo-quota", lifetime);
const names = {
  commonName: "milo-quota",
  dnsNames: ["localhost", "*.milo.internal"],
  ipAddresses: ["127.0.0.1", "::1"],
};

const keys = generateKeyPairSync("ec", { namedCurve: "prime256v1" });

/** A self-signed authority with any name, by the keys above. */
function selfSigned(name: Buffer, validity = { notBeforeMs: nowMs, notAfterMs: nowMs + day }): X509Certificate {
  const extensions = authorityExtensions(keys.publicKey);
  return signedCertificate({ issuer: name, subject: name, validity, extensions }, keys.publicKey, keys.privateKey);
}

/** `[identifier, tag of the text, bytes]` */
type Attribute = readonly [identifier: string, tag: number, value: string | readonly number[]];

function nameOf(...parts: readonly (readonly Attribute[])[]): Buffer {
  const attribute = ([identifier, tag, value]: Attribute): Buffer =>
    sequence(objectIdentifier(identifier), element(tag, Buffer.from(value as string)));
  return sequence(...parts.map((attributes) => element(0x31, ...attributes.map(attribute))));
}

const certificateOf = ({ certificatePem }: KeyedCertificate) => new X509Certificate(certificatePem);

describe("a certificate authority", () => {
  it("is self-signed, and may sign certificates", () => {
    const { certificate } = authority;
    expect(certificate.ca).toBe(true);
    expect(certificate.checkIssued(certificate)).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.subject).toBe("CN=milo-quota");
  });

  it("is unchanged after its files are read again", () => {
    const loaded = loadAuthority({ certificatePem: authority.certificatePem, privateKeyPem: authority.privateKeyPem });
    const issued = certificateOf(issueClientCertificate(loaded, { user: "alice", groups: [] }, lifetime));
    expect(issued.checkIssued(authority.certificate)).toBe(true);
    expect(issued.verify(authority.certificate.publicKey)).toBe(true);
  });

  it("is rejected with another key, or without the right to sign", () => {
    const other = createAuthority("other", lifetime);
    expect(() => loadAuthority({ ...authority, privateKeyPem: other.privateKeyPem })).toThrow(
      /does not match its certificate/,
    );
    const client = issueClientCertificate(authority, { user: "alice", groups: [] }, lifetime);
    expect(() => loadAuthority(client)).toThrow(/is not a CA certificate/);
  });

  it("is rejected when its subject or key identifier cannot be copied byte for byte", () => {
    const privateKeyPem = keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const load = (certificate: X509Certificate) => () =>
      loadAuthority({ certificatePem: certificate.toString(), privateKeyPem });
    expect(load(selfSigned(nameElement({ commonName: "ours", organizations: ["acme"] })))).not.toThrow();
    expect(load(selfSigned(nameOf([[attributeIdentifiers.commonName, 0x13, "printable"]])))).toThrow(/another program/);
    const another = generateKeyPairSync("ec", { namedCurve: "prime256v1" }).publicKey;
    const name = nameElement({ commonName: "ours" });
    const statement = { issuer: name, subject: name, validity: { notBeforeMs: nowMs, notAfterMs: nowMs + day } };
    const misnamed = { ...statement, extensions: authorityExtensions(another) };
    expect(load(signedCertificate(misnamed, keys.publicKey, keys.privateKey))).toThrow(/another program/);
  });

  it("gives every certificate a unique serial number", () => {
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

  it("is issued by the authority, with a matching private key", () => {
    expect(certificate.checkIssued(authority.certificate)).toBe(true);
    expect(certificate.verify(authority.certificate.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(issued.privateKeyPem))).toBe(true);
    expect(certificate.ca).toBe(false);
  });

  it("is valid for its names and addresses only", () => {
    expect(certificate.checkHost("localhost")).toBe("localhost");
    expect(certificate.checkHost("a.milo.internal")).toBe("*.milo.internal");
    expect(certificate.checkHost("example.com")).toBeUndefined();
    expect(certificate.checkIP("127.0.0.1")).toBe("127.0.0.1");
    expect(certificate.checkIP("::1")).toBe("::1");
    expect(certificate.checkIP("127.0.0.2")).toBeUndefined();
  });

  it("is valid for server authentication only", () => {
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
  });

  it("is not issued for an invalid name", () => {
    const make = (more: object) => () => issueServerCertificate(authority, { ...names, ...more }, lifetime);
    expect(make({ dnsNames: ["a b"] })).toThrow(/"a b" is not a valid DNS name/);
    expect(make({ ipAddresses: ["1.2.3"] })).toThrow(/"1.2.3" is not a valid IP address/);
    expect(make({ ipAddresses: ["fe80::1%eth0"] })).toThrow(/is not a valid IP address/);
  });
});

describe("a client certificate", () => {
  it("names a user and its groups with any characters", () => {
    const client = { user: "zoë\nO=system:masters", groups: ["a,b", "dévs/CN=root", "system:masters"] };
    const certificate = certificateOf(issueClientCertificate(authority, client, lifetime));
    expect(certificateSubject(certificate)).toMatchObject({ commonName: client.user, organizations: client.groups });
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
  });

  it("is valid from shortly before now until its expiry, to the second", () => {
    const certificate = certificateOf(
      issueClientCertificate(authority, { user: "a", groups: [] }, { nowMs, lifetimeMs: day }),
    );
    const { notBeforeMs, notAfterMs } = certificateSubject(certificate);
    expect(notAfterMs).toBe(Math.floor((nowMs + day) / 1000) * 1000);
    expect(notBeforeMs).toBe(Math.floor((nowMs - 300_000) / 1000) * 1000);
    expect(Date.parse(certificate.validTo)).toBe(notAfterMs);
    expect(Date.parse(certificate.validFrom)).toBe(notBeforeMs);
  });

  it("expires no later than its authority", () => {
    const long = { nowMs, lifetimeMs: 10_000 * day };
    const certificate = certificateOf(issueClientCertificate(authority, { user: "a", groups: [] }, long));
    expect(certificateSubject(certificate).notAfterMs).toBe(certificateSubject(authority.certificate).notAfterMs);
  });

  it("requires a user name", () => {
    expect(() => issueClientCertificate(authority, { user: "", groups: [] }, lifetime)).toThrow(/requires a user name/);
  });
});

describe("renewal", () => {
  const certificate = certificateOf(
    issueClientCertificate(authority, { user: "a", groups: [] }, { nowMs, lifetimeMs: 90 * day }),
  );
  const cases: Record<string, [days: number, needed: boolean]> = {
    "is not needed for a new certificate": [0, false],
    "is not needed while more than a third of the lifetime is left": [59, false],
    "is needed in the last third of the lifetime": [61, true],
    "is needed after the expiry": [91, true],
    "is needed for a certificate not yet valid, as after a clock error": [-1, true],
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
    trusted: readonly string[] = [authority.certificatePem],
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
      ca: [...trusted],
      cert: client.certificatePem,
      key: client.privateKeyPem,
    });
    try {
      await new Promise<void>((resolve, reject) => socket.once("secureConnect", resolve).once("error", reject));
      const peer = await accepted;
      const certificate = peer.getPeerX509Certificate();
      const user = certificate === undefined ? undefined : certificateSubject(certificate).commonName;
      peer.destroy();
      return { authorized: peer.authorized, user };
    } finally {
      socket.destroy();
      await new Promise((resolve) => listening.close(resolve));
    }
  }

  it("succeeds with certificates of the same authority, and identifies the user", async () => {
    const client = issueClientCertificate(authority, { user: "alice", groups: ["devs"] }, lifetime);
    expect(await handshake(client)).toEqual({ authorized: true, user: "alice" });
  });

  it("succeeds with another trusted authority of the same name, in either order", async () => {
    const newer = createAuthority("milo-quota", lifetime).certificatePem;
    const client = issueClientCertificate(authority, { user: "alice", groups: [] }, lifetime);
    for (const trusted of [
      [newer, authority.certificatePem],
      [authority.certificatePem, newer],
    ]) {
      expect(await handshake(client, trusted)).toMatchObject({ authorized: true });
    }
  });

  it("reports client certificates of other authorities", async () => {
    const stranger = createAuthority("stranger", lifetime);
    const client = issueClientCertificate(stranger, { user: "alice", groups: [] }, lifetime);
    expect(await handshake(client)).toEqual({ authorized: false, user: "alice" });
  });

  it("succeeds without a client certificate", async () => {
    expect(await handshake({})).toEqual({ authorized: false, user: undefined });
  });
});

describe("a subject", () => {
  const { commonName, organization, uid } = attributeIdentifiers;
  const [utf8, printable, t61, bmp] = [0x0c, 0x13, 0x14, 0x1e];
  const cases: Record<string, [name: Buffer, user: string, groups: readonly string[], uids: readonly string[]]> = {
    "without attributes": [nameOf(), "", [], []],
    "of an empty group": [nameOf([[commonName, utf8, "a"]], [[organization, utf8, ""]]), "a", [""], []],
    "with two common names, of which the last applies": [
      nameOf([[commonName, utf8, "a"]], [[commonName, utf8, "b"]]),
      "b",
      [],
      [],
    ],
    "with a name and a group in one set": [
      nameOf([
        [commonName, utf8, "a"],
        [organization, utf8, "g"],
      ]),
      "a",
      ["g"],
      [],
    ],
    "with two uids": [nameOf([[uid, utf8, "1"]], [[uid, utf8, "2"]]), "", [], ["1", "2"]],
    "with a zero byte": [nameOf([[commonName, utf8, "a\0b"]]), "a\0b", [], []],
    "that looks escaped": [nameOf([[commonName, utf8, "a\\0Ab"]]), "a\\0Ab", [], []],
    "in a PrintableString": [nameOf([[commonName, printable, "a b"]]), "a b", [], []],
    "in a T61String": [nameOf([[commonName, t61, [0x61, 0xe9]]]), "aé", [], []],
    "in a BMPString": [nameOf([[commonName, bmp, [0x01, 0x61, 0, 0x62]]]), "šb", [], []],
  };
  for (const [what, [name, user, organizations, uids]] of Object.entries(cases)) {
    it(`${what} is read`, () => {
      expect(certificateSubject(selfSigned(name))).toMatchObject({ commonName: user, organizations, uids });
    });
  }

  it("with a value that is not a string is rejected", () => {
    expect(() => selfSigned(nameOf([[commonName, utf8, [0x61, 0xff]]]))).toThrow();
  });
});

describe("the binary form", () => {
  const identifiers: Record<string, string> = {
    "2.5.4.3": "0603550403",
    "1.2.840.10045.4.3.2": "06082a8648ce3d040302",
    "1.3.6.1.4.1.57683.2": "06092b0601040183c25302",
  };
  for (const [identifier, hex] of Object.entries(identifiers)) {
    it(`writes ${identifier}`, () => expect(objectIdentifier(identifier).toString("hex")).toBe(hex));
  }

  it("writes positive integers in minimal form", () => {
    expect(positiveInteger(Buffer.from([0, 0, 0x80])).toString("hex")).toBe("02020080");
    expect(positiveInteger(Buffer.from([0, 0])).toString("hex")).toBe("020100");
  });

  const lengths: Record<number, string> = { 0: "0400", 127: "047f", 128: "048180", 255: "0481ff", 256: "04820100" };
  for (const [length, hex] of Object.entries({ ...lengths, 70000: "0483011170" })) {
    it(`writes a length of ${length}`, () => {
      const written = element(0x04, Buffer.alloc(Number(length)));
      expect(written.subarray(0, written.length - Number(length)).toString("hex")).toBe(hex);
    });
  }

  const times: Record<string, string> = {
    "1949-12-31T23:59:59Z": "\x18\x0f19491231235959Z",
    "1950-01-01T00:00:00Z": "\x17\x0d500101000000Z",
    "2000-02-29T00:00:00Z": "\x17\x0d000229000000Z",
    "2026-11-05T01:02:03Z": "\x17\x0d261105010203Z",
    "2049-12-31T23:59:59Z": "\x17\x0d491231235959Z",
    "2050-01-01T00:00:00Z": "\x18\x0f20500101000000Z",
    "9999-12-31T23:59:59Z": "\x18\x0f99991231235959Z",
  };
  for (const [time, bytes] of Object.entries(times)) {
    it(`writes and reads ${time}`, () => {
      const ms = Date.parse(time);
      expect(timeElement(ms + 999).toString("latin1")).toBe(bytes);
      const certificate = selfSigned(nameOf(), { notBeforeMs: ms, notAfterMs: ms });
      expect(certificateSubject(certificate)).toMatchObject({ notBeforeMs: ms, notAfterMs: ms });
    });
  }

  it("rejects a two-digit year instead of assuming a century", () => {
    const ms = Date.parse("0049-01-01T00:00:00Z");
    const certificate = selfSigned(nameOf(), { notBeforeMs: ms, notAfterMs: ms });
    expect(() => certificateSubject(certificate)).toThrow("unreadable time");
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
