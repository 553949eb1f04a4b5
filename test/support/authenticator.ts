const encode = (text: string) => new Uint8Array(new TextEncoder().encode(text));

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_KEY = 0x40;

const sha256 = async (data: Uint8Array<ArrayBuffer>) =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", data));

const join = (...parts: (Uint8Array | number[])[]) =>
  Uint8Array.from(parts.flatMap((part) => [...part]));

const base64Url = (bytes: Uint8Array) =>
  bytes.toBase64({ alphabet: "base64url", omitPadding: true });

/** A short text in CBOR. */
const cborText = (text: string) => join([0x60 + text.length], encode(text));

/** A positive number of 32 bytes as an INTEGER in DER. */
function derInteger(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = [...bytes.slice(first)];
  if ((digits[0] ?? 0) > 0x7f) digits.unshift(0);
  return join([0x02, digits.length], digits);
}

interface Challenge {
  challenge: string;
}

/** A device with one passkey: ES256, without attestation. */
export class Authenticator {
  /** False: it does not check who uses it. */
  verifiesUser = true;
  private counter = 0;
  private readonly id = crypto.getRandomValues(new Uint8Array(16));
  private readonly origin: string;
  private readonly pair: CryptoKeyPair;

  private constructor(pair: CryptoKeyPair, origin: string) {
    this.pair = pair;
    this.origin = origin;
  }

  static async create(origin = "https://akimbo.test"): Promise<Authenticator> {
    const ecdsa = { name: "ECDSA", namedCurve: "P-256" };
    const pair = await crypto.subtle.generateKey(ecdsa, true, ["sign", "verify"]);
    return new Authenticator(pair as CryptoKeyPair, origin);
  }

  /** The answer to the challenge of a new passkey. */
  async register({ challenge }: Challenge) {
    const point = new Uint8Array(
      (await crypto.subtle.exportKey("raw", this.pair.publicKey)) as ArrayBuffer,
    );
    const cose = join(
      [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01],
      [0x21, 0x58, 0x20],
      point.slice(1, 33),
      [0x22, 0x58, 0x20],
      point.slice(33),
    );
    const credential = join(new Uint8Array(16), [0, this.id.length], this.id, cose);
    const data = join(await this.data(HAS_KEY), credential);
    const attestation = join(
      [0xa3],
      cborText("fmt"),
      cborText("none"),
      cborText("attStmt"),
      [0xa0],
      cborText("authData"),
      [0x58, data.length],
      data,
    );
    const client = this.client("webauthn.create", challenge);
    return this.credential({
      clientDataJSON: base64Url(client),
      attestationObject: base64Url(attestation),
      transports: ["internal"],
    });
  }

  /** The answer to the challenge of a sign-in. */
  async signIn({ challenge }: Challenge) {
    this.counter++;
    const data = await this.data(0);
    const client = this.client("webauthn.get", challenge);
    const signed = join(data, await sha256(client));
    const ecdsa = { name: "ECDSA", hash: "SHA-256" };
    const raw = new Uint8Array(await crypto.subtle.sign(ecdsa, this.pair.privateKey, signed));
    const numbers = join(derInteger(raw.slice(0, 32)), derInteger(raw.slice(32)));
    return this.credential({
      clientDataJSON: base64Url(client),
      authenticatorData: base64Url(data),
      signature: base64Url(join([0x30, numbers.length], numbers)),
    });
  }

  private credential(response: object) {
    const id = base64Url(this.id);
    return { id, rawId: id, type: "public-key", clientExtensionResults: {}, response };
  }

  private client(type: string, challenge: string) {
    return encode(JSON.stringify({ type, challenge, origin: this.origin }));
  }

  private async data(more: number) {
    const host = await sha256(encode(new URL(this.origin).hostname));
    const flags = PRESENT | more | (this.verifiesUser ? VERIFIED : 0);
    return join(host, [flags, 0, 0, 0, this.counter]);
  }
}
