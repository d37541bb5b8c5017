import { describe, expect, it } from "vitest";
import { toJson } from "../../../test/plain-json.ts";
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

// kube-apiserver 1.34 returns the same results, with other error texts.

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

answers("URLs", {
  "url('https://user:pass@example.com:80/path?query=val#fragment').getHost()": "example.com:80",
  "url('https://user:p%zz@example.com/').getHost()":
    'URL parse error during conversion from string: "https://user:p%zz@example.com/"',
  "isURL('https://a:b:c/')": false,
  "isURL('https://a:1:2/')": true,
  "isURL('mongodb://a:1,b:2/')": true,
  "isURL('http://a b/')": false,
  "isURL('http://a%20b/')": false,
  "isURL('http://a%zz/')": false,
  "isURL('http://a/%zz')": false,
  "isURL('http://a/?%zz')": true,
  "isURL('http://a#b')": false,
  "isURL('http://a/#%zz')": false,
  "isURL('http://a/#b')": true,
  "isURL('')": false,
  "isURL('*')": true,
  "isURL('a')": false,
  "isURL('//a/b')": true,
  "isURL(':a')": false,
  "isURL('1a:b')": false,
  "isURL('mailto:a@b')": true,
  "isURL('http://[::1')": false,
  "isURL('http://[1.2.3.4]/')": false,
  "isURL('http://[::ffff:1.2.3.4]/')": true,
  "isURL('http://[fe80::1%25en0]:80/')": true,
  "isURL('http://[::1]a/')": false,
  "isURL('http://a[::1]/')": false,
  "isURL('http://a/\\u0001')": false,
  "isURL('http://us er@a/')": false,
  "url('//a/b').getHost()": "a",
  "url('///a/b').getEscapedPath()": "///a/b",
  "url('mailto:a@b').getScheme()": "mailto",
  "url('mailto:a@b').getEscapedPath()": "",
  "url('/a/é').getEscapedPath()": "/a/%C3%A9",
  "url('/a/%41 b').getEscapedPath()": "/a/A%20b",
  "url('/a/%41').getEscapedPath()": "/a/%41",
  "url('/a/!*[x]').getEscapedPath()": "/a/!*[x]",
  "url('/a/!*[x]^').getEscapedPath()": "/a/%21%2A%5Bx%5D%5E",
  "url('https://example.com').getEscapedPath()": "",
  "url('https://[fe80::1%25en0]:80/').getHostname()": "fe80::1%en0",
  "url('https://a%C3%A9/').getHost()": "aé",
  "url('https://a:/').getPort()": "",
  "url('/p?a=1&b=2&a=%20+&c&=d&x;y=1&%zz=1').getQuery()": { a: ["1", "  "], b: ["2"], c: [""], "": ["d"] },
  "url('/p?').getQuery()": {},
  "url('/p?a=b=c').getQuery()": { a: ["b=c"] },
  "url('/a') == url('/a')": true,
  "url('/a') == url('/a#b')": false,
});

const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

answers("formats", {
  "format.dns1123Label().validate('a').hasValue()": false,
  "format.dns1123Label().validate('a_b').value()": [labelRule],
  "format.dns1123Label().validate('a.b').value()": ["must not contain dots"],
  "format.dns1123Label().validate(trigger.text.substring(0, 64)).value()": ["must be no more than 63 characters"],
  "format.dns1123LabelPrefix().validate('a-').hasValue()": false,
  "format.dns1123Subdomain().validate('a.b-.c').hasValue()": true,
  "format.dns1035Label().validate('1a').hasValue()": true,
  "format.qualifiedName().validate('a/b/c').value().size()": 1,
  "format.qualifiedName().validate('/b').value()": ["prefix part must be non-empty"],
  "format.qualifiedName().validate('a/').value().size()": 2,
  "format.qualifiedName().validate('A.b_c').hasValue()": false,
  "format.labelValue().validate('').hasValue()": false,
  "format.labelValue().validate('-').hasValue()": true,
  "format.uri().validate('a').hasValue()": true,
  "format.uuid().validate('123').value()": ["does not match the UUID format"],
  "format.byte().validate('aGVsbG8').value()": ["invalid base64"],
  "format.byte().validate('').hasValue()": true,
  "format.date().validate('2021-02-29').value()": ["invalid date"],
  "format.datetime().validate('2021-01-01T24:00:00Z').value()": ["invalid datetime"],
  "format.datetime().validate('2021-01-01t00:00:00.5+01:00').hasValue()": false,
  "format.named('dns1035Label').value() == format.dns1035Label()": true,
  "format.named('x').hasValue()": false,
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
