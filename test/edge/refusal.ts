/** An error of the account API, as its envelope carries it. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: number;
  /** Errors of Workers link to a page about them; errors of R2 and D1 do not, and their codes are counted apart. */
  private readonly hasPage: boolean;

  constructor(
    code: number,
    message: string,
    status = 400,
    from: "workers" | "storage" = "workers",
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.hasPage = from === "workers";
  }

  /** @see https://developers.cloudflare.com/workers/platform/error-codes/ */
  toJson() {
    const page = `https://developers.cloudflare.com/workers/platform/error-codes/${this.code}`;
    return {
      code: this.code,
      message: this.message,
      ...(this.hasPage ? { documentation_url: page } : {}),
    };
  }
}

export const noWorker = () =>
  new Refusal(10_007, "This Worker does not exist on your account.", 404);
