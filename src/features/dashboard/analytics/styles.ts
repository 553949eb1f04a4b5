export const ANALYTICS_STYLES = `
:root { --s0: var(--accent); --s1: #b0490b; --s2: #0b7a4b; --s3: #a3237c; --s4: #006f9a; --s5: #7a5c00; --s6: #6b3fc4; --s7: #5c6270; }
@media (prefers-color-scheme: dark) { :root { --s1: #ffa869; --s2: #6fdca4; --s3: #ff9ad9; --s4: #6fcdf7; --s5: #e6c65c; --s6: #c9adff; --s7: #b3b9c8; } }
.filters .row { grid-column: auto; }
.page > .lead { margin-top: 1.5rem; max-width: none; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(10rem, 45%), 1fr)); gap: .7rem; }
.page .tiles > *, .card .tiles > * { margin-top: 0; }
.tiles > div { display: flex; flex-direction: column; gap: .1rem; padding: .8rem .9rem; background: var(--card); border: 1px solid var(--line); border-radius: .8rem; }
.tiles dt { font-size: .9rem; } .tiles dd { margin: 0; }
.tiles .value { font-size: 1.4rem; font-weight: 650; letter-spacing: -.02em; line-height: 1.25; font-variant-numeric: tabular-nums; }
.tiles .value.none { font-size: 1rem; font-weight: 400; letter-spacing: 0; color: var(--muted); font-style: italic; padding-block: .3rem; }
.tiles .delta { font-size: .85rem; color: var(--muted); }
.up { color: var(--good); font-weight: 600; } .down { color: var(--bad); font-weight: 600; }
.charts { display: grid; gap: 1.2rem; }
.charts > * { margin: 0; min-width: 0; }
@media (min-width: 60rem) { .charts { grid-template-columns: 1fr 1fr; align-items: start; } .charts > :is(.wide, p) { grid-column: 1 / -1; } }
.plot { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .3rem .6rem; }
.plot svg { grid-area: 1 / 2; width: 100%; height: 11rem; overflow: hidden; display: block; }
.charts > .wide .plot svg { height: 14rem; }
.y { display: flex; flex-direction: column; justify-content: space-between; text-align: right; margin-block: -.6em; }
.y, .x, .hours, .heat .weekdays { font-size: .78rem; color: var(--muted); font-variant-numeric: tabular-nums; }
.x { grid-area: 2 / 2; display: flex; justify-content: space-between; gap: .5rem; }
.plot { margin-top: 1.2rem; }
.s0 { color: var(--s0); } .s1 { color: var(--s1); } .s2 { color: var(--s2); } .s3 { color: var(--s3); }
.s4 { color: var(--s4); } .s5 { color: var(--s5); } .s6 { color: var(--s6); } .s7 { color: var(--s7); }
path.line, svg.line path { fill: none; stroke: currentcolor; stroke-width: 2px; stroke-linejoin: round; stroke-linecap: round; vector-effect: non-scaling-stroke; }
.area { fill: currentcolor; fill-opacity: .14; }
.rule { fill: none; stroke: var(--line); vector-effect: non-scaling-stroke; }
.gap { fill: var(--muted); fill-opacity: .13; }
.cursor { stroke: var(--ink); vector-effect: non-scaling-stroke; }
.readout { min-height: 1.5em; font-variant-numeric: tabular-nums; }
.reader { grid-area: 1 / 2; cursor: crosshair; touch-action: pan-y; }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1rem; list-style: none; margin-bottom: 0; padding: 0; font-size: .88rem; }
.legend li { display: flex; gap: .4rem; align-items: center; overflow-wrap: anywhere; min-width: 0; }
.legend svg { width: 1.5rem; height: .5rem; flex: none; }
.s1.line, .s4.line { stroke-dasharray: 7 3; } .s2.line, .s5.line { stroke-dasharray: 2 4; } .s3.line, .s6.line { stroke-dasharray: 9 3 2 3; }
.heat { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .3rem .6rem; }
.heat svg { width: 100%; height: 12rem; display: block; }
.heat .weekdays { display: grid; grid-template-rows: repeat(7, 1fr); align-items: center; }
.hours { grid-column: 2; display: grid; grid-template-columns: repeat(4, 1fr); }
.heat rect, .swatch { vector-effect: non-scaling-stroke; }
.swatch { display: inline-block; width: 1rem; height: 1rem; border-radius: .2rem; }
.no { fill: var(--code); background: var(--code); }
.few { fill: none; stroke: var(--edge); stroke-dasharray: 2 2; }
.swatch.few { border: 1px dashed var(--edge); } .swatch.no { border: 1px solid var(--line); }
.h0 { fill: color-mix(in srgb, var(--accent) 22%, var(--card)); background: color-mix(in srgb, var(--accent) 22%, var(--card)); }
.h1 { fill: color-mix(in srgb, var(--accent) 40%, var(--card)); }
.h2 { fill: color-mix(in srgb, var(--accent) 58%, var(--card)); }
.h3 { fill: color-mix(in srgb, var(--accent) 78%, var(--card)); }
.h4 { fill: var(--accent); background: var(--accent); }
.data caption { text-align: left; font-weight: 600; padding-bottom: .4rem; }
.data { font-variant-numeric: tabular-nums; font-size: .9rem; }
.data td { white-space: nowrap; } .data th[scope=row] { font-weight: 400; min-width: 6rem; }
.data td.none, .none { color: var(--muted); font-style: italic; }
.data thead th { border-top: 0; white-space: nowrap; }
section.scroll { max-height: 26rem; overflow: auto; }
.best { list-style: none; margin-bottom: 0; padding: 0; display: grid; gap: .8rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); }
.best li { display: grid; grid-template-columns: 4.5rem minmax(0, 1fr); gap: .2rem .8rem; align-items: start; }
.best img, .best .letter { width: 4.5rem; height: 4.5rem; border-radius: .6rem; object-fit: cover; background: var(--code); display: grid; place-items: center; font-size: 1.4rem; font-weight: 700; color: var(--muted); }
.best a { overflow-wrap: anywhere; }
.views { display: flex; flex-wrap: wrap; gap: .4rem; }
.views .button { padding: .35rem .8rem; min-height: 2.2rem; }
.views .button[aria-current] { background: var(--accent-soft); border-color: var(--accent); }
.beside { border-left: .3rem solid var(--edge); padding-left: clamp(.6rem, 2vw, 1.2rem); }
.address { user-select: all; margin-top: .4rem; } .list + .fields { margin-top: 1.6rem; }
.printed { display: none; }
.printed img { vertical-align: middle; }
@media print {
  :root { color-scheme: light; --ground: #fff; --card: #fff; --ink: #171a26; --muted: #565d73; --line: #dfe2ec; --accent: #3a46d6; --shadow: none; }
  .top, .foot, .filters, .views, .unprinted, .readout, details, .data + p, section.scroll + p { display: none; }
  .printed { display: block; }
  section.scroll { max-height: none; overflow: visible; }
  .page { width: 100%; padding: 0; }
  .charts > *, .tiles > div, .best li, .heat, h2, h3 { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  svg, rect, path { print-color-adjust: exact; }
  a { color: inherit; text-decoration: none; }
}
.beside > * + * { margin-top: 1.2rem; }
`;
