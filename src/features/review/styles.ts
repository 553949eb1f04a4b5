import { BRAND_STYLES } from "../../pages/brand.tsx";

/** A post's preview is dark if its platform's player is. */
export const MOCK_STYLES = `
.mock { margin: 0; border: 1px solid var(--line); border-radius: .9rem; overflow: hidden; background: var(--ground); align-self: start; justify-self: center; width: 100%; max-width: 27rem; }
.mock > .by { display: flex; gap: .7rem; align-items: center; padding: .8rem .9rem; min-width: 0; }
.by .names { min-width: 0; display: grid; line-height: 1.3; overflow-wrap: anywhere; }
.by .names > :last-child:not(:first-child) { color: var(--muted); font-size: .88rem; }
.face { flex: none; width: 2.5rem; height: 2.5rem; border-radius: 50%; background: var(--accent-soft); color: var(--accent); display: grid; place-items: center; font-weight: 700; object-fit: cover; }
.caption { padding: .2rem .9rem .9rem; display: grid; gap: .3rem; }
.shots + .caption { padding-top: .8rem; }
.caption h3 { overflow-wrap: anywhere; text-wrap: wrap; }
.tag { color: var(--accent); }
.mock details { border: 0; padding: 0; }
.mock summary { padding: .1rem 0; font-size: .92rem; list-style: none; text-decoration: underline; width: fit-content; }
.mock summary::-webkit-details-marker { display: none; }
.mock details[open] .more, .mock details:not([open]) .less { display: none; }
@supports selector(:has(*)) {
  .caption:has(details:not([open])) .cut { display: -webkit-box; -webkit-box-orient: vertical; overflow: hidden; }
  .caption:has(details:not([open])) .l2 { -webkit-line-clamp: 2; }
  .caption:has(details:not([open])) .l3 { -webkit-line-clamp: 3; }
  .caption:has(details:not([open])) .l5 { -webkit-line-clamp: 5; }
  .caption:has(details:not([open])) .l8 { -webkit-line-clamp: 8; }
}
.shots { list-style: none; margin: 0; padding: 0; display: grid; gap: 2px; }
.shots li { position: relative; min-width: 0; background: var(--code); }
.shots a { display: block; height: 100%; outline-offset: -4px; }
.shots :is(img, video) { display: block; width: 100%; height: auto; max-height: 40rem; object-fit: contain; }
.shots video { background: #0d0f14; }
.shots .box :is(img, video) { position: absolute; inset: 0; height: 100%; max-height: none; }
.shots .note { padding: 1rem; background: var(--code); overflow-wrap: anywhere; height: 100%; display: grid; align-content: center; gap: .3rem; }
.r9x16 { aspect-ratio: 9 / 16; } .r3x4 { aspect-ratio: 3 / 4; } .r4x5 { aspect-ratio: 4 / 5; }
.r1x1 { aspect-ratio: 1; } .r4x3 { aspect-ratio: 4 / 3; } .r16x9 { aspect-ratio: 16 / 9; }
.grid { grid-template-columns: 1fr 1fr; }
.grid.many { grid-template-columns: repeat(3, 1fr); }
.grid li { aspect-ratio: 1; } .grid :is(img, video) { position: absolute; inset: 0; height: 100%; object-fit: cover; }
.strip { grid-auto-flow: column; grid-auto-columns: 100%; overflow-x: auto; scroll-snap-type: x mandatory; scrollbar-width: thin; outline-offset: -4px; }
.strip li { scroll-snap-align: start; }
.count { position: absolute; top: .6rem; right: .6rem; padding: .1rem .55rem; border-radius: 99rem; background: rgb(0 0 0 / .7); color: #fff; font-size: .8rem; pointer-events: none; }
.vertical { background: #0d0f14; color: #f3f4f8; max-width: 20rem; border-color: #2b3040; }
.vertical .names > :last-child:not(:first-child) { color: #b6bccd; }
.vertical .tag, .vertical summary { color: #b9c0ff; }
.vertical .shots :is(li, .note) { background: #181b26; }
.pin .shots, .pin .shots li { border-radius: .9rem; overflow: hidden; }
.pin .shots.strip { overflow-x: auto; }
.pin > .by { padding-top: 0; }
.poll { list-style: none; margin: 0 .9rem .9rem; padding: 0; display: grid; gap: .4rem; }
.poll li { border: 1px solid var(--edge); border-radius: 99rem; padding: .35rem .9rem; overflow-wrap: anywhere; }
.leads { margin: 0 .9rem .9rem; padding: .7rem .9rem; border: 1px solid var(--line); border-radius: .6rem; overflow-wrap: anywhere; font-size: .92rem; }
`;

export const REVIEW_STYLES = `${MOCK_STYLES}${BRAND_STYLES}
.page { width: min(100% - 2rem, 66rem); }
.posts { list-style: none; padding: 0; margin-bottom: 0; display: grid; gap: 1.5rem; }
.post { display: grid; gap: 1rem 2rem; grid-template-columns: minmax(0, 1fr); scroll-margin-top: 1rem; }
.card.post > * { margin: 0; }
.post > header { grid-column: 1 / -1; display: flex; flex-wrap: wrap; gap: .4rem .8rem; align-items: center; justify-content: space-between; }
.side { display: grid; gap: 1rem; align-content: start; min-width: 0; }
.side .facts { font-size: .95rem; grid-template-columns: minmax(0, 6.6rem) minmax(0, 1fr); }
.facts dt { overflow-wrap: anywhere; }
.facts dd { margin: 0; }
.facts time, .facts .alt { display: block; overflow-wrap: anywhere; }
.facts img { display: block; max-width: 100%; max-height: 12rem; width: auto; height: auto; border-radius: .5rem; }
.own { display: block; min-height: 1.55em; color: var(--muted); font-size: .92rem; }
.decide { display: grid; gap: .6rem; border-top: 1px solid var(--line); padding-top: 1rem; }
.decide details { border: 1px solid var(--line); border-radius: .6rem; padding: .2rem .8rem; }
.decide details[open] { padding-bottom: .8rem; }
.decide textarea { min-height: 6rem; resize: vertical; }
.decide .go { width: 100%; }
.all { display: flex; flex-wrap: wrap; gap: .8rem 1.5rem; align-items: center; justify-content: space-between; }
.card.all > * { margin: 0; }
.said { border-left: 3px solid var(--line); padding-left: .8rem; }
@media (min-width: 52rem) { .side .facts { grid-template-columns: minmax(0, 9rem) minmax(0, 1fr); } .post { grid-template-columns: minmax(0, 27rem) minmax(0, 1fr); } .decide .go { width: auto; justify-self: start; } }
`;

/** Adds the reader's own time where it differs from both shown. */
export const OWN_TIME_SCRIPT = `for (const line of document.querySelectorAll(".own[data-at]")) {
  const at = new Date(line.dataset.at);
  const options = { weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" };
  const show = (timeZone) => at.toLocaleString("en-GB", { ...options, timeZone });
  const own = show();
  if (own !== show("UTC") && own !== show(line.dataset.zone)) line.textContent = own + " where you are";
}`;
