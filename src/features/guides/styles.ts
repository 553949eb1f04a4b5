export const GUIDE_STYLES = `
.bar { background: var(--card); border-bottom: 1px solid var(--line); }
.bar { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; align-items: center; padding: .7rem max(1rem, (100% - 70rem) / 2); }
.bar nav { display: flex; gap: 1.2rem; margin-left: auto; font-size: .95rem; }
.brand { font-weight: 700; color: var(--ink); text-decoration: none; }
.page { padding-block: clamp(1.2rem, 3vw, 2.2rem); }
.note { padding: .6rem .9rem; border-radius: .6rem; background: var(--accent-soft); font-size: .94rem; }
.guide > * + * { margin-top: 1rem; }
.guide { overflow-wrap: anywhere; }
.guide :is(h2, h3) { margin-top: 2rem; scroll-margin-top: 1rem; }
h2 { font-size: 1.3rem; } h3 { font-size: 1.08rem; }
.anchor { margin-left: .2rem; color: var(--muted); text-decoration: none; font-weight: 400; font-size: .85em; }
.guide :is(ul, ol) { margin-bottom: 0; padding-left: 1.4rem; }
.guide li + li { margin-top: .35rem; }
.guide img { display: block; max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: .6rem; }
.guide :not(pre) > code { background: var(--code); border-radius: .3rem; padding: .1em .3em; }
pre code { font-size: 1em; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .93rem; }
th, td { text-align: left; padding: .45rem .6rem; border-top: 1px solid var(--line); vertical-align: top; min-width: 6rem; }
.turn { display: flex; flex-wrap: wrap; gap: .8rem; justify-content: space-between; border-top: 1px solid var(--line); padding-top: 1rem; }
.turn [rel=next] { margin-left: auto; }
.source { font-size: .9rem; }
.side { width: min(100% - 2rem, 46rem); margin: 0 auto 2rem; font-size: .95rem; }
.side ul { list-style: none; margin: .3rem 0 1.1rem; padding: 0; }
.side li ul { margin: .2rem 0 .4rem .8rem; font-size: .92em; }
.side h2 { font-size: .82rem; color: var(--muted); letter-spacing: .03em; }
.side nav a { display: block; padding: .25rem .5rem; border-radius: .4rem; color: var(--ink); text-decoration: none; }
.side nav a:hover { background: var(--accent-soft); }
.side nav a[aria-current] { background: var(--accent); color: var(--accent-ink); }
#search { margin-bottom: 1.2rem; }
#search label { display: block; font-weight: 600; font-size: .9rem; }
#search input { font: inherit; width: 100%; margin-top: .25rem; padding: .45rem .6rem; color: var(--ink); background: var(--card); border: 1px solid var(--edge); border-radius: .5rem; }
#search-state { color: var(--muted); font-size: .88rem; margin-top: .3rem; }
#results p { color: var(--muted); font-size: .88rem; overflow-wrap: anywhere; }
#results li + li { margin-top: .6rem; }
@media (min-width: 64rem) {
  body { display: grid; grid-template: "bar bar" auto "side main" 1fr "foot foot" auto / 17rem minmax(0, 1fr); column-gap: 2.5rem; padding-inline: max(0rem, (100% - 70rem) / 2); min-height: 100vh; }
  .bar { grid-area: bar; margin-inline: calc(50% - 50vw); }
  .side { grid-area: side; margin: 0; padding: 2rem 0 2rem 1rem; width: auto; }
  .page { grid-area: main; margin: 0; width: auto; max-width: 48rem; padding-right: 1rem; }
  .foot { grid-area: foot; }
}
`;
