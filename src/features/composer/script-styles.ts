/** Of what script adds to the composer. */
export const SCRIPT_STYLES = `
.counts { color: var(--muted); font-size: .88rem; margin-top: .25rem; font-variant-numeric: tabular-nums; }
.counts .over { color: var(--bad); font-weight: 600; }
section.over { outline: 3px dashed var(--accent); outline-offset: -.5rem; }
.ways { margin-top: .6rem; }
.ways + .hint { margin-top: .5rem; }
.menu > button + button { margin-left: .6rem; }
.file img, .file video { cursor: grab; touch-action: none; user-select: none; }
.file video { width: 100%; max-height: 7.5rem; object-fit: cover; border-radius: .5rem; background: var(--code); }
.file.dragged { opacity: .5; }
.file.target { outline: 3px solid var(--accent); outline-offset: .3rem; border-radius: .5rem; }
.file .about > * + * { margin-top: .4rem; }
.file progress { width: 100%; height: .8rem; accent-color: var(--accent); }
.file.failed .progress .hint { color: var(--bad); font-weight: 600; }
.progress > * + * { margin-top: .4rem; }
.moves { display: inline-flex; gap: .5rem; margin-right: .5rem; }
.part > button, .part .moves { margin-top: .5rem; }
.library { display: grid; grid-template-columns: repeat(auto-fill, minmax(8rem, 1fr)); gap: .6rem; max-height: 50vh; overflow-y: auto; list-style: none; padding: .2rem; }
.library label { flex-wrap: wrap; gap: .3rem; overflow-wrap: anywhere; }
.library img { width: 100%; height: 6rem; object-fit: cover; border-radius: .5rem; background: var(--code); }
.menu video.cover { width: 100%; max-height: 50vh; background: var(--code); }
`;
