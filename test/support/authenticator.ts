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

/** Bytes in CBOR, of 24 or more. */
const cborBytes = (bytes: Uint8Array) =>
  bytes.length < 256
    ? join([0x58, bytes.length], bytes)
    : join([0x59, bytes.length >> 8, bytes.length & 0xff], bytes);

/** A positive number of 32 bytes as an INTEGER in DER. */
function derInteger(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = [...bytes.slice(first)];
  if ((digits[0] ?? 0) > 0x7f) digits.unshift(0);
  return join([0x02, digits.length], digits);
}

/** A kind of key that devices make. */
interface Algorithm {
  /** Its number in the list of a challenge. */
  id: number;
  make: Parameters<SubtleCrypto["generateKey"]>[0];
  sign: Parameters<SubtleCrypto["sign"]>[0];
  /** The public key in COSE. */
  toCose(key: CryptoKey): Promise<Uint8Array>;
  /** A signature as devices give it. */
  toSignature(raw: Uint8Array): Uint8Array;
}

/** @see https://www.rfc-editor.org/rfc/rfc9053 ES256, and https://www.rfc-editor.org/rfc/rfc8812 RS256 */
const ALGORITHMS = {
  /** Phones, Macs and security keys. */
  ES256: {
    id: -7,
    make: { name: "ECDSA", namedCurve: "P-256" },
    sign: { name: "ECDSA", hash: "SHA-256" },
    async toCose(key) {
      const point = new Uint8Array((await crypto.subtle.exportKey("raw", key)) as ArrayBuffer);
      const head = [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01];
      const [x, y] = [point.slice(1, 33), point.slice(33)];
      return join(head, [0x21], cborBytes(x), [0x22], cborBytes(y));
    },
    toSignature(raw) {
      const numbers = join(derInteger(raw.slice(0, 32)), derInteger(raw.slice(32)));
      return join([0x30, numbers.length], numbers);
    },
  },
  /** Windows Hello. */
  RS256: {
    id: -257,
    make: {
      name: "RSASSA-PKCS1-v1_5",
      hash: "SHA-256",
      modulusLength: 2_048,
      publicExponent: Uint8Array.of(1, 0, 1),
    },
    sign: { name: "RSASSA-PKCS1-v1_5" },
    async toCose(key) {
      const { n = "", e = "" } = (await crypto.subtle.exportKey("jwk", key)) as JsonWebKey;
      const [modulus, exponent] = [n, e].map((part) =>
        Uint8Array.fromBase64(part, { alphabet: "base64url" }),
      );
      const head = [0xa4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00];
      const numbers = join([0x20], cborBytes(modulus ?? NONE), [0x21, 0x43], exponent ?? NONE);
      return join(head, numbers);
    },
    toSignature: (raw) => raw,
  },
} satisfies Record<string, Algorithm>;

const NONE = new Uint8Array();

interface Challenge {
  challenge: string;
}

/** The challenge of a new passkey. */
interface NewChallenge extends Challenge {
  pubKeyCredParams: { alg: number }[];
}

/** A device with one passkey, without attestation. */
export class Authenticator {
  /** False: it does not check who uses it. */
  verifiesUser = true;
  private counter = 0;
  private readonly id: Uint8Array;
  private readonly origin: string;
  private readonly algorithm: Algorithm;
  private readonly pair: CryptoKeyPair;

  private constructor(
    pair: CryptoKeyPair,
    algorithm: Algorithm,
    origin: string,
    id: Uint8Array = crypto.getRandomValues(new Uint8Array(16)),
  ) {
    this.id = id;
    this.pair = pair;
    this.algorithm = algorithm;
    this.origin = origin;
  }

  static async create(
    origin = "https://akimbo.test",
    name: keyof typeof ALGORITHMS = "ES256",
  ): Promise<Authenticator> {
    const algorithm: Algorithm = ALGORITHMS[name];
    const pair = await crypto.subtle.generateKey(algorithm.make, true, ["sign", "verify"]);
    return new Authenticator(pair as CryptoKeyPair, algorithm, origin);
  }

  /**
   * A device whose passkey, ES256, was registered before. It only signs in.
   *
   * @param id in base64url
   */
  static async restore(id: string, privateKey: JsonWebKey): Promise<Authenticator> {
    const { ES256 } = ALGORITHMS;
    const key = await crypto.subtle.importKey("jwk", privateKey, ES256.make, false, ["sign"]);
    const pair = { privateKey: key } as CryptoKeyPair;
    const bytes = Uint8Array.fromBase64(id, { alphabet: "base64url" });
    return new Authenticator(pair, ES256, "https://akimbo.test", bytes);
  }

  /** The answer to the challenge of a new passkey. */
  async register({ challenge, pubKeyCredParams }: NewChallenge) {
    const { id, toCose } = this.algorithm;
    if (!pubKeyCredParams.some(({ alg }) => alg === id))
      throw new Error(`No key ${id} is asked for.`);
    const cose = await toCose(this.pair.publicKey);
    const credential = join(new Uint8Array(16), [0, this.id.length], this.id, cose);
    const data = join(await this.data(HAS_KEY), credential);
    const attestation = join(
      [0xa3],
      cborText("fmt"),
      cborText("none"),
      cborText("attStmt"),
      [0xa0],
      cborText("authData"),
      cborBytes(data),
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
    const { sign, toSignature } = this.algorithm;
    const raw = new Uint8Array(await crypto.subtle.sign(sign, this.pair.privateKey, signed));
    return this.credential({
      clientDataJSON: base64Url(client),
      authenticatorData: base64Url(data),
      signature: base64Url(toSignature(raw)),
    });
  }

  private credential<T extends object>(response: T) {
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
