import type { DraftState } from "./drafts.ts";
import { byId, composeForm, make, makeButton, say } from "./page.ts";

const clock = (at: Date): string =>
  at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });

interface Choices {
  keepAsNew(): void;
  discard(): void;
}

const addressOf = (id: string | null): string =>
  id === null ? "/app/compose" : `/app/compose?draft=${id}`;

function showNotice(words: string, ...ways: Node[]): void {
  const notice =
    byId("draft-notice") ?? make("div", { id: "draft-notice", className: "notice", role: "alert" });
  notice.replaceChildren(
    make("p", { textContent: words }),
    make("div", { className: "row" }, ...ways),
  );
  if (!notice.isConnected) composeForm?.prepend(notice);
}

export const removeNotice = (): void => byId("draft-notice")?.remove();

export function showState(state: DraftState, id: string | null, { keepAsNew }: Choices): void {
  if (state.kind === "saved") {
    removeNotice();
    say(`Saved ${clock(state.at)}`);
  } else if (state.kind === "offline") {
    say(
      "There is no connection. What you write stays in this browser, and is saved when the line is back.",
    );
  } else if (state.kind === "refused") {
    say(`Not saved: ${state.message}`);
  } else if (state.kind === "signedOut") {
    const next = encodeURIComponent(addressOf(id));
    const link = make("a", {
      href: `/sign-in?next=${next}`,
      className: "button",
      textContent: "Sign in",
    });
    showNotice(
      "Your session has ended. What you wrote stays in this browser: sign in, and it is here again.",
      link,
    );
  } else {
    const link = make("a", {
      href: addressOf(id),
      target: "_blank",
      className: "button quiet",
      textContent: "See theirs",
    });
    say("");
    showNotice(state.error.message, link, makeButton("Keep mine as a new draft", keepAsNew));
  }
}

/** For a text of this browser that is older or newer than a draft which another person has saved since. */
export function offerCopy(at: number, { keepAsNew, discard }: Choices): void {
  const day = new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  showNotice(
    `This browser has a text of ${day} that is not saved. The draft here is another one.`,
    makeButton("Keep it as a new draft", keepAsNew),
    makeButton("Discard it", discard),
  );
}
