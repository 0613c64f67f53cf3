
// A head sorts the rows of its table, the largest number first and then the smallest; a cue says where a table goes on.
for (const place of document.querySelectorAll(".scroll")) {
  const table = place.querySelector("table"), heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  const cue = document.createElement("p");
  cue.className = "cue";
  cue.textContent = "Scroll sideways for more columns \u2192";
  place.before(cue);
  const look = () => { cue.hidden = place.scrollWidth <= place.clientWidth + 1; };
  new ResizeObserver(look).observe(place);
  look();
  const value = (row, column) => {
    const text = row.cells[column].textContent.trim();
    const number = parseFloat(text.replaceAll(",", "").replace("< ", ""));
    return { text, number, known: Number.isFinite(number) };
  };
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.onclick = () => {
      const words = [...body.rows].every((row) => !value(row, column).known);
      const down = head.ariaSort === "descending" || (words && head.ariaSort !== "ascending");
      const order = (a, b) => {
        const [x, y] = [value(a, column), value(b, column)];
        if (words) return x.text.localeCompare(y.text);
        // What is not known comes last in both directions.
        return x.known && y.known ? x.number - y.number : (y.known - x.known) * (down ? 1 : -1);
      };
      const rows = [...body.rows].sort(order);
      if (!down) rows.reverse();
      body.append(...rows);
      heads.forEach((other) => { other.removeAttribute("aria-sort"); });
      head.ariaSort = down ? "ascending" : "descending";
    };
  });
}
