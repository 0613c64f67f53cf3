// Ids from Math.random() of Hermes, the engine of React Native: hermes hermes.js prints 14 of them. It passes no arguments.
for (var n = 0; n < 14; n++) {
  var digit = function (c) {
    var r = (Math.random() * 16) | 0;
    return (c == "x" ? r : (r & 3) | 8).toString(16);
  };
  print("xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx".replace(/[xy]/g, digit));
}
