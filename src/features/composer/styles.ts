export const COMPOSE_STYLES = `
#compose { display: grid; gap: 1.5rem; }
#compose > * { min-width: 0; }
.control textarea, .part textarea { resize: vertical; min-height: 2.7rem; }
ul.error { padding-left: 1.2rem; }
.choice label { align-items: center; gap: .5rem; padding: .3rem; border-radius: .5rem; }
.choice p > a { display: inline-block; min-height: 1.6rem; }
.choice .who-is { min-width: 0; overflow-wrap: anywhere; }
.who-is > .hint { display: block; }
.face { flex: none; width: 2.2rem; height: 2.2rem; border-radius: 50%; background: var(--accent-soft); color: var(--accent); display: grid; place-items: center; font-weight: 700; object-fit: cover; }
.counts:empty { display: none; }
.variant, .platform { border: 1px solid var(--line); border-radius: .6rem; padding: .2rem .8rem; }
.variant[open], .platform[open] { padding-bottom: .8rem; }
.variant + .variant, .platform + .platform { margin-top: .5rem; }
.platform fieldset { display: grid; gap: .8rem 1.2rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); align-items: start; }
.platform fieldset > * { margin-top: 0; }
.platform fieldset > :is(legend, fieldset, p) { grid-column: 1 / -1; }
#parts { list-style: none; padding: 0; display: grid; gap: .8rem; }
#files-list { list-style: none; padding: 0; display: grid; gap: .8rem; }
.preview h3 { margin-bottom: .4rem; }
.file { display: grid; gap: .8rem; grid-template-columns: minmax(0, 7.5rem) minmax(0, 1fr); }
.file img, .no-picture { width: 100%; max-height: 7.5rem; object-fit: cover; border-radius: .5rem; background: var(--code); }
.no-picture { display: grid; place-items: center; min-height: 4rem; padding: .3rem; font-size: .88rem; text-align: center; }
.inputs { display: grid; gap: .9rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); }
.inputs input { padding: .35rem; }
.creator { display: flex; gap: .7rem; align-items: center; }
#previews-list { list-style: none; padding: 0; display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); }
#send .row { align-items: center; }
@media (max-width: 30rem) { .file { grid-template-columns: 1fr; } }
`;
