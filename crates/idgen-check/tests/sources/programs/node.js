// Ids from Math.random(), in the ways that programs on the web use: node node.js FORM COUNT, of V8;
// gjs node.js FORM COUNT, of SpiderMonkey (Firefox); jsc node.js -- FORM COUNT, of JavaScriptCore (Safari)
const isNode = typeof process === "object";

const hex = (number, digits) => number.toString(16).padStart(digits, "0");
const fill = (digit) => "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx".replace(/[xy]/g, digit);
const hyphens = (text) => text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
const version4 = (bytes) => {
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return hyphens(bytes.map((byte) => hex(byte, 2)).join(""));
};
const s4 = () => Math.floor((1 + Math.random()) * 0x10000).toString(16).substring(1);

const forms = {
  secure: () => require("node:crypto").randomUUID(),
  snippet: () => fill((c) => {
    const r = Math.random() * 16 | 0;
    return (c === "x" ? r : r & 0x3 | 0x8).toString(16);
  }),
  "y-of-two-bits": () => fill((c) => (c === "x" ? Math.random() * 16 | 0 : Math.random() * 4 | 8).toString(16)),
  "32-digits": () => {
    const digits = Array.from({ length: 32 }, () => Math.random() * 16 | 0);
    digits[12] = 4;
    digits[16] = digits[16] & 3 | 8;
    return hyphens(digits.map((digit) => digit.toString(16)).join(""));
  },
  // The digit of the variant is computed from a character, so that only the digits 0 to 9 have an effect.
  "36-digits": () => {
    const digits = [];
    for (let i = 0; i < 36; i++) digits[i] = "0123456789abcdef".substr(Math.floor(Math.random() * 0x10), 1);
    digits[14] = "4";
    digits[19] = "0123456789abcdef".substr((digits[19] & 0x3) | 0x8, 1);
    digits[8] = digits[13] = digits[18] = digits[23] = "-";
    return digits.join("");
  },
  bytes: () => version4(Array.from({ length: 16 }, () => Math.floor(Math.random() * 256))),
  "uuid-fallback": () => {
    const bytes = [];
    for (let i = 0, r; i < 16; i++) {
      if ((i & 3) === 0) r = Math.random() * 0x100000000;
      bytes[i] = r >>> ((i & 3) << 3) & 0xff;
    }
    return version4(bytes);
  },
  s4: () => `${s4()}${s4()}-${s4()}-${s4()}-${s4()}-${s4()}${s4()}${s4()}`,
  "s4-version-4": () => `${s4()}${s4()}-${s4()}-4${s4().substr(0, 3)}-${s4()}-${s4()}${s4()}${s4()}`,
  "hex-of-fractions": () => {
    const part = (digits) => Math.random().toString(16).substring(2, 2 + digits).padEnd(digits, "0");
    return [8, 4, 4, 4, 12].map(part).join("-");
  },
  "uuid-fast": () => {
    let rnd = 0;
    let text = "";
    for (let i = 0; i < 36; i++) {
      if (i === 8 || i === 13 || i === 18 || i === 23) text += "-";
      else if (i === 14) text += "4";
      else {
        if (rnd <= 0x02) rnd = 0x2000000 + Math.random() * 0x1000000 | 0;
        const r = rnd & 0xf;
        rnd >>= 4;
        text += (i === 19 ? r & 0x3 | 0x8 : r).toString(16);
      }
    }
    return text;
  },
  "1e7": () => ([1e7] + -1e3 + -4e3 + -8e3 + -1e11).replace(/[018]/g, (c) => (c ^ Math.random() * 16 >> c / 4).toString(16)),
  "three-js": () => {
    const words = Array.from({ length: 4 }, () => Math.random() * 0xffffffff | 0);
    return version4(words.flatMap((word) => [0, 8, 16, 24].map((shift) => word >> shift & 0xff)));
  },
  "gap-of-one": () => {
    Math.random();
    return forms.snippet();
  },
  "time-added": () => {
    let d = Date.now();
    return fill((c) => {
      const r = (d + Math.random() * 16) % 16 | 0;
      d = Math.floor(d / 16);
      return (c === "x" ? r : r & 0x3 | 0x8).toString(16);
    });
  },
  "performance-now": () => {
    let d = Date.now();
    let d2 = performance.now() * 1000;
    return fill((c) => {
      let r = Math.random() * 16;
      if (d > 0) {
        r = (d + r) % 16 | 0;
        d = Math.floor(d / 16);
      } else {
        r = (d2 + r) % 16 | 0;
        d2 = Math.floor(d2 / 16);
      }
      return (c === "x" ? r : r & 0x3 | 0x8).toString(16);
    });
  },
};

const [form, count] = isNode ? process.argv.slice(2) : typeof ARGV === "object" ? ARGV : arguments;
for (let n = 0; n < count; n++) (isNode ? console.log : print)(forms[form]());
