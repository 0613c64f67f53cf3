// Ids from xor128 of the npm package seedrandom, seeded with the time: node seedrandom.js PACKAGE FORM COUNT
const [folder, , count] = process.argv.slice(2);
const random = require(folder).xor128(String(Date.now()));

for (let n = 0; n < count; n++) {
  console.log("xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx".replace(/[xy]/g, (c) => {
    const r = random() * 16 | 0;
    return (c === "x" ? r : r & 0x3 | 0x8).toString(16);
  }));
}
