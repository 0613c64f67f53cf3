
// A head sorts the rows of its table, the largest number first and then the smallest; a cue says where a table goes on.
// A table is made ready when it is shown for the first time: a site has thousands in folded parts.
const value = (row, column) => {
  const text = row.cells[column].textContent.trim();
  const number = parseFloat(text.replaceAll(",", "").replace("< ", ""));
  return { text, number, known: Number.isFinite(number) };
};
const sort = (table, column) => {
  const heads = [...table.tHead.rows[0].cells], head = heads[column], body = table.tBodies[0];
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
  for (const other of heads) other.removeAttribute("aria-sort");
  head.ariaSort = down ? "ascending" : "descending";
};
const cues = new Map();
const ready = (place) => {
  const table = place.querySelector("table"), cue = document.createElement("p");
  cue.className = "cue";
  cue.textContent = "Scroll sideways for more columns \u2192";
  place.before(cue);
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    if (head.dataset.unsorted !== undefined) return;
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.onclick = () => sort(table, column);
  });
  return cue;
};
const sizes = new ResizeObserver((entries) => {
  const places = entries.map((entry) => entry.target);
  for (const place of places) if (!cues.has(place)) cues.set(place, ready(place));
  // All sizes are read before anything changes them.
  const wide = places.map((place) => place.scrollWidth > place.clientWidth + 1);
  places.forEach((place, at) => { cues.get(place).hidden = !wide[at]; });
});
for (const place of document.querySelectorAll(".scroll")) sizes.observe(place);
