// Ids from Math.random() of engines that pass no arguments: hermes hermes.js prints 14 of them, of the engine of React Native,
// and mujs hermes.js those of MuJS, the engine of MuPDF.
for (var n = 0; n < 14; n++) {
  var digit = function (c) {
    var r = (Math.random() * 16) | 0;
    return (c == "x" ? r : (r & 3) | 8).toString(16);
  };
  print("xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx".replace(/[xy]/g, digit));
}
