import type { Child } from "hono/jsx";
import { clockOf, Time } from "../../../pages/times.tsx";
import type { PoolView } from "../../pools/pages.ts";
import { cut, Section, State } from "../parts.tsx";
import { changeInWords, dayInWords, ruleInWords, weekdayInWords } from "./words.ts";

interface Props {
  view: PoolView;
  /** In the pool's zone. */
  today: string;
}

/** About two weeks of five slots a day. */
const SHOWN = 70;

export const Coming = ({
  view: { pool, coming, changes },
  today,
  days,
}: Props & { days: number }) => {
  const timeOf = (slotId: string) =>
    pool.slots.find(({ id }) => String(id) === slotId)?.time ?? null;
  const isUsed = (slotId: string) =>
    (pool.slots.find(({ id }) => String(id) === slotId)?.accountIds.length ?? 0) > 0;
  const filled = coming.findLastIndex(({ item }) => item !== null) + 1;
  const shown = coming.slice(0, Math.min(SHOWN, filled + 1));
  const gaps = coming.length - filled - 1;
  return (
    <Section id="coming" title={`The next ${days} days`}>
      {changes.map((change) => (
        <p class="notice">{changeInWords(change, today)}</p>
      ))}
      {coming.length === 0 && (
        <p>{pool.isActive ? "No slot comes in these days." : "The pool is switched off."}</p>
      )}
      <div class="coming">
        {[...Map.groupBy(shown, ({ wallTime }) => wallTime.slice(0, 10))].map(([day, firings]) => (
          <>
            <h3>
              {weekdayInWords(day)} {dayInWords(day, today)}
            </h3>
            <ul>
              {firings.map((firing) => {
                const mark = ruleInWords(firing, timeOf(firing.slotId));
                return (
                  <li>
                    <time class="when" datetime={firing.at}>
                      {firing.wallTime.slice(11)}
                    </time>
                    <span>
                      {firing.item ? (
                        cut(firing.item.title)
                      ) : (
                        <span class="gap">
                          {isUsed(firing.slotId)
                            ? "This slot finds nothing to publish"
                            : "This slot has no account"}
                        </span>
                      )}
                      {firing.item?.turn && (
                        <span class="muted">
                          {" "}
                          · time {firing.item.turn.number} of {firing.item.turn.of}
                          {firing.item.turn.variant !== null && `, “${cut(firing.item.turn.text)}”`}
                        </span>
                      )}
                    </span>
                    {mark && <span class="mark">{mark}</span>}
                  </li>
                );
              })}
            </ul>
          </>
        ))}
      </div>
      {filled > SHOWN ? (
        <p class="muted">And {filled - SHOWN} more in these days.</p>
      ) : (
        gaps > 0 && (
          <p class="muted">
            {gaps === 1 ? "The slot after it finds" : `The ${gaps} slots after it find`} nothing
            either, until you add more.
          </p>
        )
      )}
    </Section>
  );
};

const OUTCOMES = {
  running: { text: "Being published", tone: "wait" },
  dispatched: { text: "Published", tone: "good" },
  skipped: { text: "Skipped", tone: "bad" },
  empty: { text: "Nothing to publish", tone: "" },
  missed: { text: "Missed", tone: "bad" },
} as const;

export const Past = ({ view: { pool, past }, children }: Props & { children?: Child }) => {
  const clock = clockOf(pool.timezone);
  return (
    <Section id="past" title="What past slots did">
      {past.length === 0 && <p>No slot has come yet.</p>}
      <ul class="list past">
        {past.map((firing) => (
          <li>
            <div class="grow">
              <p>
                <Time at={new Date(firing.at)} clock={clock} />
                {firing.item && <>: {cut(firing.item.title)}</>}
              </p>
              {firing.reason && <p class="why">{cut(firing.reason)}</p>}
              {firing.uploadIds.length > 0 && (
                <p class="muted">
                  {firing.uploadIds.map((id, i) => (
                    <>
                      {i > 0 && ", "}
                      <a href={`/app/uploads/${id}`}>Post {id}</a>
                    </>
                  ))}
                </p>
              )}
            </div>
            <State {...OUTCOMES[firing.outcome]} />
          </li>
        ))}
      </ul>
      {children}
    </Section>
  );
};
