export const POOL_STYLES = `
.pools { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); gap: 1rem; list-style: none; margin-bottom: 0; padding: 0; }
.pool h2 { font-size: 1.1rem; overflow-wrap: anywhere; min-width: 0; }
.pool > * + * { margin-top: .5rem; }
.facts { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; }
.grid { display: none; table-layout: fixed; font-size: .88rem; }
.grid th { font-weight: 600; }
.grid :is(th, td) { border: 1px solid var(--line); padding: .4rem; overflow-wrap: anywhere; }
.grid thead th { text-align: center; background: var(--code); }
.grid abbr { text-decoration: none; }
.grid th:first-child { width: 5rem; }
.grid .on { background: var(--accent-soft); }
.grid .on span { display: block; }
.grid .on span + span { border-top: 1px solid var(--line); margin-top: .25rem; padding-top: .25rem; }
@media (min-width: 52rem) { .grid { display: table; } }
.slots .when, .coming .when { font-weight: 600; font-variant-numeric: tabular-nums; }
.days { display: flex; flex-wrap: wrap; gap: .3rem 1rem; }
.fields .checks { max-height: 16rem; overflow-y: auto; padding: .2rem; }
.queue:empty { display: none; }
.queue { list-style: none; margin-bottom: 0; padding: 0; }
.item { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .2rem .9rem; padding: .8rem .6rem; border-top: 1px solid var(--line); border-radius: .5rem; scroll-margin-top: 1rem; }
.item:first-child { border-top-color: transparent; }
.item:target { background: var(--accent-soft); }
.thumb { grid-row: span 2; width: 4.5rem; height: 4.5rem; border-radius: .5rem; object-fit: cover; background: var(--code); color: var(--muted); font-size: .85rem; display: grid; place-items: center; text-align: center; }
.item h3 { overflow-wrap: anywhere; }
.item .buttons { display: flex; flex-wrap: wrap; gap: .4rem; grid-column: 2; align-items: start; }
.item .buttons :is(button, .button) { padding: .25rem .7rem; min-height: 2rem; font-size: .9rem; }
.item .buttons summary { padding: .25rem .5rem; font-size: .9rem; }
.item .buttons button:disabled { opacity: .45; cursor: default; }
.item > form, .item > .wide { grid-column: 1 / -1; margin-top: .6rem; }
.movable .thumb { cursor: grab; touch-action: none; }
.item.dragged { opacity: .5; }
.item.target { box-shadow: inset 0 3px 0 var(--accent); background: var(--accent-soft); }
.item.target.below { box-shadow: inset 0 -3px 0 var(--accent); }
.drop { border: 2px dashed var(--edge); border-radius: .8rem; padding: 1rem; text-align: center; }
.drop.over { border-color: var(--accent); background: var(--accent-soft); }
.drop > input { max-width: 26rem; }
.going { list-style: none; padding: 0; margin: 0; text-align: left; }
.going li { margin-top: .6rem; overflow-wrap: anywhere; }
.going progress { width: 100%; height: .6rem; accent-color: var(--accent); }
.going button { min-height: 2rem; padding: .2rem .7rem; font-size: .9rem; }
.rows { margin: .4rem 0 0; padding-left: 1.2rem; color: var(--bad); font-weight: 600; font-size: .92rem; }
.gap { color: var(--wait); }
.mark { display: block; color: var(--wait); font-size: .92rem; }
.coming, .past { list-style: none; margin-bottom: 0; padding: 0; }
.coming h3 { margin-top: 1rem; padding-bottom: .2rem; border-bottom: 1px solid var(--line); }
.coming ul { list-style: none; padding: 0; margin: 0; }
.coming ul li { display: grid; grid-template-columns: 3.6rem minmax(0, 1fr); gap: .1rem .6rem; padding: .35rem 0; overflow-wrap: anywhere; }
.coming .mark { grid-column: 2; }
.confirm p { margin-bottom: .5rem; }
`;
