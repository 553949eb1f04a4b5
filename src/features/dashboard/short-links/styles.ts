export const LINK_STYLES = `
.address { display: inline-block; max-width: 100%; user-select: all; overflow-wrap: anywhere; }
.search > div { flex: 1 1 16rem; max-width: 30rem; }
.search.card > * { margin-top: 0; }
.away { overflow-wrap: anywhere; }
.figures { display: flex; flex-wrap: wrap; gap: .3rem .8rem; align-items: center; }
#rules-form > * + * { margin-top: 1rem; }
.visitor { grid-template-columns: repeat(auto-fit, minmax(min(100%, 14rem), 1fr)); }
.card > .answer { margin-top: 1rem; }
.rules { display: grid; gap: .8rem; list-style: none; margin: 0; padding: 0; }
.rules > li.dragged { opacity: .55; }
.rules > li.target > fieldset { border-color: var(--accent); box-shadow: 0 0 0 2px var(--accent-soft); }
.rules fieldset fieldset { border: 0; padding: 0; }
.rules fieldset fieldset legend { padding: 0; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 14rem), 1fr)); gap: .7rem; align-items: start; }
.ticks { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; }
.ticks label { min-height: 1.6rem; }
.tools { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
.tools button, .adds button { min-height: 2.2rem; padding: .25rem .7rem; font-size: .9rem; }
.tools button:disabled { opacity: .5; cursor: default; }
.handle { padding: .25rem .5rem; color: var(--muted); cursor: grab; touch-action: none; user-select: none; }
.adds { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
.answer { padding: .8rem 1rem; border-radius: .7rem; background: var(--accent-soft); }
.answer > * + * { margin-top: .4rem; }
.bars { display: block; width: 100%; height: 9rem; }
.bars rect { fill: var(--accent); }
.bars .none { fill: var(--line); }
.axis { display: flex; justify-content: space-between; gap: 1rem; }
.shares { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); gap: 1.2rem; align-items: start; }
.shares caption { text-align: left; font-weight: 600; padding-bottom: .3rem; }
.shares td { overflow-wrap: anywhere; }
.shares td:nth-child(2) { width: 30%; min-width: 4rem; }
.shares td:last-child, .number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.shares svg { display: block; width: 100%; height: .8rem; margin-top: .35rem; }
.shares rect { fill: var(--accent); }
.code { display: grid; grid-template-columns: auto 1fr; gap: 1.2rem; align-items: start; }
.code img { display: block; width: 12rem; height: 12rem; border-radius: .6rem; border: 1px solid var(--line); background: #fff; }
.code > div > * + * { margin-top: .8rem; }
.records { display: grid; gap: .6rem; margin-top: .6rem; }
.records dd pre { margin: 0; user-select: all; }
@media (max-width: 36rem) { .code { grid-template-columns: 1fr; } }
`;
