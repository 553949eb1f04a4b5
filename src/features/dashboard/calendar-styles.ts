export const CALENDAR_STYLES = `
.page { width: min(100% - 2rem, 84rem); }
.filters .row { grid-column: auto; }
.bar { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: center; justify-content: space-between; }
.bar h2 { font-size: 1.4rem; }
.bar nav { display: flex; flex-wrap: wrap; gap: .4rem; }
.bar .button { padding: .35rem .8rem; min-height: 2.2rem; }
.bar .button[aria-current] { background: var(--accent-soft); border-color: var(--accent); }
.calendar { padding: 0; overflow: clip; }
.calendar ol { list-style: none; margin: 0; padding: 0; }
.weekdays { display: grid; grid-template-columns: repeat(7, minmax(0, 1fr)); padding: .4rem 0; font-size: .85rem; font-weight: 600; color: var(--muted); text-align: center; }
.calendar > * + * { margin-top: 0; }
.day { padding: .4rem; border-top: 1px solid var(--line); min-width: 0; }
.day > .date { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; min-height: 1.7rem; }
.day h3 { font-size: .95rem; }
.day.other { background: var(--ground); }
.day.other h3 { color: var(--muted); font-weight: 400; }
.today h3 { color: var(--accent-ink); background: var(--accent); border-radius: 99rem; padding: .1rem .5rem; }
.today-word { font-size: .8rem; font-weight: 600; color: var(--accent); }
.add { margin-left: auto; display: grid; place-items: center; width: 1.7rem; height: 1.7rem; border-radius: .4rem; text-decoration: none; font-size: 1.1rem; }
.add:hover { background: var(--accent-soft); }
.entries > li + li { margin-top: .3rem; }
.entry { border: 1px solid var(--line); border-left: .25rem solid var(--muted); border-radius: .45rem; background: var(--card); font-size: .85rem; line-height: 1.35; position: relative; }
.entry.good { border-left-color: var(--good); }
.entry.bad { border-color: var(--bad); }
.entry.wait { border-left-color: var(--wait); border-left-style: double; }
.entry.draft { border-style: dashed; }
.entry.firing { border: 1px dashed var(--edge); background: transparent; padding: .3rem .4rem; }
.open { display: grid; grid-template-columns: auto minmax(0, 1fr) auto; gap: .05rem .4rem; align-items: center; padding: .3rem .4rem; min-height: 1.75rem; color: inherit; text-decoration: none; border-radius: .4rem; outline-offset: -2px; }
.open:hover { background: var(--accent-soft); }
.open img, .letter { width: 1.75rem; height: 1.75rem; border-radius: .35rem; object-fit: cover; background: var(--code); }
.letter { display: grid; place-items: center; font-weight: 700; color: var(--muted); }
.what, .words { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.time { font-weight: 600; font-variant-numeric: tabular-nums; }
.platform { color: var(--muted); }
.sign { font-weight: 700; }
.good .sign { color: var(--good); } .bad .sign { color: var(--bad); } .wait .sign { color: var(--wait); }
.entry summary { padding: .2rem .4rem; min-height: 1.5rem; font-size: .82rem; }
.entry details form { padding: 0 .4rem .5rem; }
.entry details[open] > :not(summary) { margin-top: 0; }
.entry label { font-size: .82rem; }
.entry form input { padding: .3rem .4rem; }
.entry form button { padding: .3rem .7rem; min-height: 2rem; }
.refusal { padding: .3rem .4rem; background: var(--bad-soft); color: var(--bad); overflow-wrap: anywhere; }
.more { display: inline-block; padding: .2rem .4rem; min-height: 1.5rem; font-size: .85rem; }
.month .state { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.month .words { grid-column: 1 / -1; }
.month .platform { display: block; overflow: hidden; text-overflow: ellipsis; }
.month .short { display: inline; }
.month .long { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.short { display: none; }
.month .days { display: grid; grid-template-columns: repeat(7, minmax(0, 1fr)); }
.month .day { min-height: 7rem; }
.month .day + .day { border-left: 1px solid var(--line); }
.month .day:nth-child(7n + 1) { border-left: 0; }
.agenda .weekdays { display: none; }
.agenda .entry { font-size: .92rem; }
.agenda .open { grid-template-columns: auto minmax(0, 1fr) auto auto; }
.agenda .words { grid-column: 2 / -1; grid-row: 2; white-space: normal; overflow-wrap: anywhere; }
.agenda .open > :first-child { grid-row: 1 / 3; width: 2.5rem; height: 2.5rem; }
.agenda .empty .entries { display: none; }
.entry[data-id] .open { cursor: grab; -webkit-touch-callout: none; }
.entry.lifted { z-index: 3; opacity: .9; box-shadow: 0 .4rem 1.2rem rgb(0 0 0 / .3); pointer-events: none; }
.entry.busy { opacity: .65; }
.dragging { cursor: grabbing; user-select: none; -webkit-user-select: none; }
.day.target { background: var(--accent-soft); outline: 2px solid var(--accent); outline-offset: -2px; }
@media (max-width: 40rem) {
  .month .weekdays { display: none; }
  .month .days { display: block; }
  .month .day { min-height: 0; border-left: 0; }
  .month .day.other:not(.dragging *), .month .day.empty:not(.today):not(.dragging *) { display: none; }
  .month .short { display: none; }
  .month .long { position: static; width: auto; height: auto; overflow: visible; clip-path: none; }
  .month .words { grid-column: 2 / -1; }
  .month .platform { display: inline; }
}
`;
