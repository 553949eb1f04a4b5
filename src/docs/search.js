// Finds guides by words. The index is loaded when the field is first used, and searched in the browser.
const MAX_RESULTS = 12;
const SHOWN_CHARACTERS = 140;

const place = document.getElementById("search");
place.innerHTML = `
  <label for="words">Search the guides</label>
  <input id="words" type="search" autocomplete="off" spellcheck="false">
  <p id="search-state" role="status"></p>
  <ul id="results"></ul>`;
place.hidden = false;

const field = document.getElementById("words");
const state = document.getElementById("search-state");
const results = document.getElementById("results");

let index;
const loadIndex = () => {
  index ??= fetch("/docs/search.json").then((answer) => {
    if (!answer.ok) throw new Error(`The index answers ${answer.status}.`);
    return answer.json();
  });
  return index;
};

/** A word in a heading counts more than one in the text; 0 for a part that lacks one of the words. */
function scoreOf({ guide, heading, text }, words) {
  let score = 0;
  for (const word of words) {
    if (heading.toLowerCase().includes(word)) score += 8;
    else if (guide.toLowerCase().includes(word)) score += 4;
    else if (text.toLowerCase().includes(word)) score += 1;
    else return 0;
  }
  return score;
}

/** The text around the first of the words. */
function excerptOf(text, words) {
  const lower = text.toLowerCase();
  const at = Math.max(
    0,
    Math.min(...words.map((word) => lower.indexOf(word)).filter((i) => i >= 0)),
  );
  const from = Number.isFinite(at) ? Math.max(0, text.lastIndexOf(" ", at - 30)) : 0;
  const excerpt = text.slice(from, from + SHOWN_CHARACTERS).trim();
  return `${from > 0 ? "…" : ""}${excerpt}${from + SHOWN_CHARACTERS < text.length ? "…" : ""}`;
}

function toItem({ path, guide, heading, text }, words) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = `/docs/${path}`;
  link.textContent = heading ? `${guide}: ${heading}` : guide;
  const excerpt = document.createElement("p");
  excerpt.textContent = excerptOf(text, words);
  item.append(link, excerpt);
  return item;
}

async function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) {
    results.replaceChildren();
    state.textContent = "";
    return;
  }
  try {
    const parts = await loadIndex();
    if (words.join() !== field.value.toLowerCase().split(/\s+/).filter(Boolean).join()) return;
    const found = parts
      .map((part) => ({ part, score: scoreOf(part, words) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score);
    results.replaceChildren(...found.slice(0, MAX_RESULTS).map(({ part }) => toItem(part, words)));
    state.textContent =
      found.length === 0 ? "Nothing has all of these words." : `${found.length} found`;
  } catch {
    index = undefined;
    state.textContent = "The search could not be loaded. Try again.";
  }
}

field.addEventListener("focus", () => loadIndex().catch(() => {}), { once: true });
field.addEventListener("input", search);
