const WEEK = 7;

/** The pointer or the arrow keys choose a day of a chart, whose values are then shown and read aloud. */
function addReader(chart: HTMLElement): void {
  const plot = chart.querySelector<HTMLElement>(".plot");
  const svg = plot?.querySelector("svg");
  const readout = chart.querySelector<HTMLElement>("[data-readout]");
  const head = [...chart.querySelectorAll("thead th")].slice(1).map((cell) => cell.textContent);
  const rows = [...chart.querySelectorAll("tbody tr")];
  if (!plot || !svg || !readout || rows.length === 0) return;
  const last = rows.length - 1;
  const hint = `${readout.textContent} Point at the chart, or use the arrow keys.`.trim();
  readout.textContent = hint;
  const reader = document.createElement("div");
  const cursor = document.createElementNS("http://www.w3.org/2000/svg", "path");
  cursor.setAttribute("class", "cursor");
  svg.append(cursor);
  let place = last;

  const textOf = (i: number): string => {
    const [day, ...cells] = [...(rows[i]?.children ?? [])].map((cell) => cell.textContent);
    return `${day}: ${cells.map((text, at) => `${head[at]} ${text}`).join(", ")}`;
  };
  const tell = (i: number) => {
    place = Math.max(0, Math.min(last, i));
    const text = textOf(place);
    readout.textContent = text;
    cursor.setAttribute("d", `M${place} 0V100`);
    reader.setAttribute("aria-valuenow", String(place));
    reader.setAttribute("aria-valuetext", text);
  };
  const leave = () => {
    if (document.activeElement === reader) return;
    readout.textContent = hint;
    cursor.removeAttribute("d");
  };
  reader.className = "reader";
  reader.tabIndex = 0;
  const told = {
    role: "slider",
    "aria-label": `${chart.querySelector("h3")?.textContent}, one after the other`,
    "aria-valuemin": "0",
    "aria-valuemax": String(last),
    "aria-valuenow": String(last),
    "aria-valuetext": textOf(last),
  };
  for (const [name, value] of Object.entries(told)) reader.setAttribute(name, value);
  const onPointer = ({ clientX }: PointerEvent) => {
    const { left, width } = reader.getBoundingClientRect();
    tell(Math.round(((clientX - left) / width) * last));
  };
  reader.addEventListener("pointermove", onPointer);
  reader.addEventListener("pointerdown", onPointer);
  reader.addEventListener("pointerleave", leave);
  reader.addEventListener("focus", () => tell(place));
  reader.addEventListener("blur", leave);
  reader.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const places: Record<string, number> = {
      ArrowLeft: place - 1,
      ArrowDown: place - 1,
      ArrowRight: place + 1,
      ArrowUp: place + 1,
      PageDown: place - WEEK,
      PageUp: place + WEEK,
      Home: 0,
      End: last,
    };
    const next = places[event.key];
    if (next === undefined) return;
    event.preventDefault();
    tell(next);
  });
  plot.append(reader);
}

for (const chart of document.querySelectorAll<HTMLElement>("[data-chart]")) addReader(chart);
