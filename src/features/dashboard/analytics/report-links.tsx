import { TeamForm } from "../../../pages/team-form.tsx";
import { type Clock, Time } from "../../../pages/times.tsx";
import type { Period } from "../../analytics/period.ts";
import { toDate } from "../../analytics/rules/days.ts";
import { DEFAULT_OPEN_DAYS, MAX_OPEN_DAYS, MAX_REPORTS, MAX_TITLE } from "../../reports/rules.ts";
import type { ListedReport } from "../../reports/service.ts";
import { Button, InputField, SubmitLine } from "../form-parts.tsx";
import { Section } from "../parts.tsx";
import { dayName } from "./chart.tsx";
import { choiceInWords, reportInWords } from "./report-words.ts";
import { addressOf } from "./view.ts";

export interface SentReport {
  title: string;
  lastDay: string;
  expiresInDays: string;
  refusal: string;
}

interface Props {
  period: Period;
  reports: readonly ListedReport[];
  addresses: readonly string[];
  mayRevoke: (report: ListedReport) => boolean;
  clock: Clock;
  sent: SentReport | null;
}

export const ReportLinks = (props: Props) => {
  const { period, reports, addresses, clock, sent } = props;
  return (
    <div class="unprinted">
      <Section id="reports" title="Send as a link">
        <p class="muted">
          Whoever has the link reads these figures without a sign-in, under the name and logo of{" "}
          <a href="/app/settings">your settings</a>. It ends on its day, when you revoke it, and
          when the person who made it leaves the team. <a href="/docs/analytics">How it works</a>.
        </p>
        {reports.length > 0 && (
          <ul class="list">
            {reports.map((report, i) => (
              <ReportItem
                report={report}
                address={addresses[i] ?? ""}
                period={period}
                clock={clock}
                mayRevoke={props.mayRevoke(report)}
              />
            ))}
          </ul>
        )}
        {reports.length >= MAX_REPORTS ? (
          <p>The team has {MAX_REPORTS} links, which is the most. Revoke one to make a new one.</p>
        ) : (
          period.chosen > 0 && <ReportForm period={period} sent={sent} />
        )}
      </Section>
    </div>
  );
};

interface ItemProps extends Pick<Props, "period" | "clock"> {
  report: ListedReport;
  address: string;
  mayRevoke: boolean;
}

const ReportItem = ({ report, address, period, clock, mayRevoke }: ItemProps) => {
  const words = reportInWords(report, period.accounts);
  return (
    <li>
      <div class="grow">
        <strong>{report.title ?? words}</strong>
        <p class="muted">
          {report.title !== null && `${words} · `}made by {report.maker} on{" "}
          <Time at={report.createdAt} clock={clock} /> · open until{" "}
          <Time at={report.expiresAt} clock={clock} />
        </p>
        <pre class="address">{address}</pre>
      </div>
      {mayRevoke && (
        <TeamForm action={addressOf(period.filter, `/reports/${report.id}/revoke`)}>
          <Button tone="danger" label={`Revoke the link ${report.title ?? words}`}>
            Revoke
          </Button>
        </TeamForm>
      )}
    </li>
  );
};

const ReportForm = ({ period, sent }: Pick<Props, "period" | "sent">) => {
  const { filter, from, to } = period;
  const refusalOf = (field: string) =>
    sent?.refusal.startsWith(`${field}:`) ? sent.refusal : null;
  const lastDay = toDate(to - 1);
  const isFixed = sent !== null && sent.lastDay !== "";
  return (
    <TeamForm class="fields" action={addressOf(filter, "/reports")} makes>
      <InputField
        id="title"
        label="Title"
        hint={`optional, up to ${MAX_TITLE} characters`}
        maxlength={MAX_TITLE}
        value={sent?.title ?? ""}
        refusal={refusalOf("title")}
      />
      <fieldset>
        <legend>Which days it shows</legend>
        <label>
          <input type="radio" name="lastDay" value="" checked={!isFixed} />
          The newest {filter.days} days, whenever it is opened
        </label>
        <label>
          <input type="radio" name="lastDay" value={lastDay} checked={isFixed} />
          These days only: {dayName(from)} to {dayName(to - 1)}
        </label>
        {refusalOf("lastDay") && (
          <p class="error" role="alert">
            {refusalOf("lastDay")}
          </p>
        )}
      </fieldset>
      <InputField
        id="expiresInDays"
        label="Days until it expires"
        hint={`1 to ${MAX_OPEN_DAYS}`}
        type="number"
        min={1}
        max={MAX_OPEN_DAYS}
        required
        value={sent?.expiresInDays ?? String(DEFAULT_OPEN_DAYS)}
        refusal={refusalOf("expiresInDays")}
      />
      <p class="hint">It shows what you chose above: {choiceInWords(filter, period.accounts)}.</p>
      <SubmitLine>Make the link</SubmitLine>
    </TeamForm>
  );
};
