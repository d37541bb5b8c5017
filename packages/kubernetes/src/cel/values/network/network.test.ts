import { describe, expect, it } from "vitest";
import { parseCidr } from "./cidr.ts";
import { parseIp } from "./ip-address.ts";

describe("addresses", () => {
  const canonical: Record<string, string> = {
    "127.0.0.1": "127.0.0.1",
    "0.0.0.0": "0.0.0.0",
    "::": "::",
    "::1": "::1",
    "1::": "1::",
    "2001:DB8::ABCD": "2001:db8::abcd",
    "2001:db8:0:0:0:0:0:abcd": "2001:db8::abcd",
    "1:0:0:2:0:0:0:3": "1:0:0:2::3",
    "1:0:0:2:3:0:0:4": "1::2:3:0:0:4",
    "1:0:2:3:4:5:6:7": "1:0:2:3:4:5:6:7",
    "10:0:0:1:1:1:1:1": "10::1:1:1:1:1",
    "::1.2.3.4": "::102:304",
    "0:0:0:0:0:0:0:0": "::",
    "1:2:3:4:5:6:7::": "1:2:3:4:5:6:7:0",
  };
  it.each(Object.entries(canonical))("%s are written %s", (text, written) => {
    expect(parseIp(text)?.toString()).toBe(written);
  });

  const none = [
    ...[
      "",
      "1.2.3",
      "1.2.3.4.5",
      "1.2.3.256",
      "01.2.3.4",
      "1.2.3.-4",
      " 1.2.3.4",
      "1.2.3.4 ",
      ":::1",
      "1::2::3",
      "12345::",
    ],
    ...["1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "fe80::1%eth0", "::ffff:1.2.3.4", "::1.2.3.04"],
    ...["1.2.3.4::", ":1", "1:", "g::", "1:".repeat(1000)],
  ];
  it.each(none)("are not %j", (text) => {
    expect(parseIp(text)).toBeUndefined();
  });
});

describe("networks", () => {
  it.each(["10.0.0.0/8", "10.1.2.3/0", "::/0", "::1/128", "1.2.3.4/32"])("are written as they are read: %s", (text) => {
    expect(parseCidr(text)?.toString()).toBe(text);
  });

  it.each(["10.0.0.0", "10.0.0.0/33", "::/129", "10.0.0.0/08", "10.0.0.0/+8", "10.0.0.0/", "/8", "::ffff:1.2.3.4/24"])(
    "are not %j",
    (text) => {
      expect(parseCidr(text)).toBeUndefined();
    },
  );
});
