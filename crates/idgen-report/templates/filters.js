
// Filters show and hide what has data attributes of their names. Their state is in the fragment of the URL, so that it also
// works in a page that was opened from a file.
const form = document.querySelector("form.filters"), output = form.querySelector("output");
const names = [...form.querySelectorAll("select")].map((select) => select.name);
const having = (prefix) => names.map((name) => `${prefix}[data-${name}]`).join(",");
const parts = [...document.querySelectorAll(having("main "))];
const entries = [...document.querySelectorAll("details[data-engine]")];
const groups = [...document.querySelectorAll("[data-group]")];
const chosen = () => new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
const apply = () => {
  const state = [...chosen()];
  const fits = (part) => state.every(([name, value]) => !(name in part.dataset) || part.dataset[name].split("|").includes(value));
  for (const part of parts) if (part.hidden === fits(part)) part.hidden = !part.hidden;
  for (const group of groups) group.hidden = !group.querySelector(":scope > [data-engine]:not([hidden])");
  const shown = entries.filter((entry) => !entry.hidden);
  output.textContent = `${shown.length} of ${entries.length} experiments`;
};
const keep = (state) => history.replaceState(null, "", String(state) ? `#${state}` : location.pathname + location.search);
// Reads the fragment: filters and the experiment that is open, or only the place that a link names.
const follow = () => {
  const fragment = location.hash.slice(1), named = new URLSearchParams(fragment);
  let place = named.get("at");
  if (fragment && !fragment.includes("=")) {
    place = fragment;
    const state = chosen();
    state.set("at", place);
    keep(state);
  } else {
    for (const name of names) {
      const select = form.elements[name];
      select.value = named.get(name) ?? "";
      if (select.selectedIndex < 0) select.value = "";
    }
  }
  apply();
  const target = place && document.getElementById(place);
  if (!target) return;
  target.closest("details")?.setAttribute("open", "");
  target.scrollIntoView();
};
form.hidden = false;
form.onsubmit = (event) => event.preventDefault();
form.onchange = () => { keep(chosen()); apply(); };
form.onreset = () => setTimeout(form.onchange);
addEventListener("hashchange", follow);
follow();
