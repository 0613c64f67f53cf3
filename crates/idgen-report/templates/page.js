
// A head sorts the rows of its table, the largest number first and then the smallest; a cue says where a table goes on.
// A table in a folded part is made ready when the part is opened: a site has thousands.
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
const update = (places) => {
  for (const place of places.filter((place) => !cues.has(place))) {
    cues.set(place, ready(place));
    sizes.observe(place);
  }
  // All sizes are read before anything changes them.
  const wide = places.map((place) => place.scrollWidth > place.clientWidth + 1);
  places.forEach((place, at) => { cues.get(place).hidden = !wide[at]; });
};
const sizes = new ResizeObserver((entries) => update(entries.map((entry) => entry.target)));
const show = (part) => update([...part.querySelectorAll(".scroll")].filter((place) => !place.closest("details:not([open])")));
document.addEventListener("toggle", (event) => { if (event.target.open) show(event.target); }, true);
show(document);
