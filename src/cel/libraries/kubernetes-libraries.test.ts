import { describe, expect, it } from "vitest";
import { toJson } from "../../../test/cel/plain-json.ts";
import { dynType } from "../cel-type.ts";
import { compile } from "../compile.ts";
import { createEnvironment } from "../environment.ts";

const environment = createEnvironment({ variables: { trigger: dynType } });

function answer(expression: string): unknown {
  const compiled = compile(expression, environment);
  if (!compiled.ok) return compiled.issues[0].message;
  const result = compiled.program.evaluate({ trigger: { text: "a".repeat(1000), ip: "10.1.2.3" } });
  return result.ok ? toJson(result.value) : result.error.message;
}

function answers(name: string, table: Record<string, unknown>): void {
  describe(name, () => {
    it.each(Object.entries(table))("%s", (expression, value) => {
      expect(answer(expression)).toEqual(value);
    });
  });
}

// What a kube-apiserver of version 1.34 answers to the same, but for the wording of errors.

answers("addresses", {
  "type(ip('1.2.3.4')) == net.IP": true,
  "string(ip(trigger.ip))": "10.1.2.3",
  "ip('::1') == ip('0:0::1')": true,
  "ip('1.2.3.4') == ip('::1.2.3.4')": false,
  "ip('a')": 'IP Address "a" parse error during conversion from string',
  "ip(trigger.text)": `IP Address "${"a".repeat(80)}…" parse error during conversion from string`,
  "isIP('::ffff:1.2.3.4')": false,
  "ip('0.0.0.0').isUnspecified()": true,
  "ip('127.255.0.1').isLoopback()": true,
  "ip('::2').isLoopback()": false,
  "ip('224.0.0.255').isLinkLocalMulticast()": true,
  "ip('224.0.1.1').isLinkLocalMulticast()": false,
  "ip('ff12::1').isLinkLocalMulticast()": true,
  "ip('ff05::1').isLinkLocalMulticast()": false,
  "ip('fe80::1').isLinkLocalUnicast()": true,
  "ip('febf::1').isLinkLocalUnicast()": true,
  "ip('fec0::1').isLinkLocalUnicast()": false,
  "ip('fe80::1').isGlobalUnicast()": false,
  "ip('255.255.255.255').isGlobalUnicast()": false,
  "ip('239.1.1.1').isGlobalUnicast()": false,
  "ip('::1').isGlobalUnicast()": false,
  "ip('8.8.8.8').isGlobalUnicast()": true,
  "ip.isCanonical('127.0.0.1')": true,
  "ip.isCanonical('2001:db8::0:0:0:abcd')": false,
});

answers("networks", {
  "type(cidr('::/0')) == net.CIDR": true,
  "string(cidr('10.1.2.3/8'))": "10.1.2.3/8",
  "cidr('10.1.2.3/8') == cidr('10.0.0.0/8')": false,
  "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')": true,
  "cidr('10.1.2.3/8').containsIP(trigger.ip)": true,
  "cidr('0.0.0.0/0').containsIP('::1')": false,
  "cidr('::/0').containsIP('::1')": true,
  "cidr('10.0.0.0/8').containsIP('x')": 'IP Address "x" parse error during conversion from string',
  "cidr('10.0.0.0/8').containsCIDR('10.0.0.0/8')": true,
  "cidr('10.0.0.0/8').containsCIDR(cidr('10.0.0.0/7'))": false,
  "cidr('10.0.0.0/8').containsCIDR(cidr('11.0.0.0/16'))": false,
  "cidr('1.2.3.4/32').ip().family()": 4,
  "cidr('x')": 'network address parse error during conversion from string: "x"',
});

answers("versions", {
  "semver('1.2.3-alpha.1+b.c').minor()": 2,
  "semver('01.2.3').major()": 'not a semantic version: "01.2.3"',
  "isSemver('1.2')": false,
  "isSemver('1.2.3-')": false,
  "isSemver('1.2.3-01')": false,
  "isSemver('1.2.3-a..b')": false,
  "isSemver('1.2.3+')": false,
  "isSemver('1.2.3+01')": true,
  "isSemver('1.2.3-a+b-c')": true,
  "isSemver('1.2.3+b-c.d')": true,
  "isSemver('18446744073709551615.0.0')": true,
  "isSemver('18446744073709551616.0.0')": false,
  "semver('v01.02.03', true).patch()": 3,
  "semver('1', true) == semver('1.0.0')": true,
  "isSemver('1-alpha', true)": false,
  "isSemver('v1.2.0-alpha', true)": true,
  "isSemver('vv1', true)": false,
  "isSemver('1.0.00', true)": true,
  "semver('1.0.0-alpha').compareTo(semver('1.0.0-alpha.1'))": -1,
  "semver('1.0.0-alpha.1').compareTo(semver('1.0.0-alpha.beta'))": -1,
  "semver('1.0.0-beta.11').compareTo(semver('1.0.0-beta.2'))": 1,
  "semver('1.0.0-rc.1').compareTo(semver('1.0.0'))": -1,
  "semver('1.0.0+a').compareTo(semver('1.0.0+b'))": 0,
  "semver('1.10.0').isGreaterThan(semver('1.9.9'))": true,
});
