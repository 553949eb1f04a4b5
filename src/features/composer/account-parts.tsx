import { platformName } from "../../platforms/registry.ts";
import { Section } from "../dashboard/parts.tsx";
import { ErrorPlace } from "./control.tsx";
import { isChosen, type ShownAccount, type View } from "./view.ts";

export const letterOf = (name: string): string =>
  [...name.replace(/^@/, "").trim()][0]?.toUpperCase() ?? "?";

/** An account with several tags stands under the first of them. */
function groupsOf(accounts: readonly ShownAccount[]): [tag: string, ShownAccount[]][] {
  const groups = Map.groupBy(accounts, ({ tags }) => tags[0] ?? "");
  return [...groups].sort(([one], [other]) => Number(one === "") - Number(other === ""));
}

export const Accounts = ({ view }: { view: View }) => {
  const groups = groupsOf(view.accounts);
  return (
    <Section id="accounts" title="Accounts">
      {view.accounts.length === 0 ? (
        <p>
          No account is connected yet. <a href="/app/accounts">Connect an account</a> first; what
          you write here can be kept as a draft until then.
        </p>
      ) : (
        groups.map(([tag, accounts]) => (
          <fieldset data-tag={tag}>
            <legend>{tag || (groups.length === 1 ? "Publish to" : "Without a tag")}</legend>
            <div class="checks">
              {accounts.map((account) => (
                <AccountChoice view={view} account={account} />
              ))}
            </div>
          </fieldset>
        ))
      )}
      <ErrorPlace view={view} control="accountId" />
    </Section>
  );
};

const HEALTH = { expired: "Login expired", revoked: "Login revoked" } as const;

const AccountChoice = ({ view, account }: { view: View; account: ShownAccount }) => {
  const { id, accountName, platform, status, refusal, mode, handle, serverLimits } = account;
  const errors = view.errors.filter(({ accountId }) => accountId === id);
  return (
    <div class="choice">
      <label>
        <input
          type="checkbox"
          name="accountId"
          value={id}
          id={`account-${id}`}
          data-platform={platform}
          data-account-name={accountName}
          data-characters={serverLimits?.postCharacters}
          data-health={refusal === null ? undefined : status === "active" ? "off" : status}
          checked={isChosen(view, account)}
          disabled={refusal !== null && !isChosen(view, account)}
          aria-describedby={`errors-${id}`}
        />
        <span class="face" aria-hidden="true">
          {letterOf(accountName)}
        </span>
        <span class="who-is">
          <bdi>{accountName}</bdi>
          <span class="hint">
            {platformName(platform)}
            {handle && handle !== accountName ? ` · ${handle}` : ""}
            {mode === "sandbox" ? " · sandbox" : ""}
            {status === "active" ? "" : ` · ${HEALTH[status]}`}
          </span>
        </span>
      </label>
      {refusal !== null && (
        <p class="hint">
          {status === "active" ? refusal : <a href={`/app/accounts/${id}`}>Reconnect</a>}
        </p>
      )}
      <ul class="error" id={`errors-${id}`} data-account-errors={id} hidden={errors.length === 0}>
        {errors.map(({ message }) => (
          <li>{message}</li>
        ))}
      </ul>
    </div>
  );
};
