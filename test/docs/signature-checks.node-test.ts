import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { GUIDES_FOLDER } from "../../src/cli/guides.ts";
import { hmacKey } from "../../src/core/signature.ts";
import { deliveryRequest } from "../../src/features/webhooks/send.ts";
import { blocksOf } from "./blocks.ts";

const SECRET = "whsec_0123456789abcdef";
const BODY = '{"id":"evt_1","event":"upload.completed","data":{"title":"Füße “3” 🦊"}}';

interface Received {
  headers: Record<string, string>;
  body: string;
}

/** A delivery as it is sent `ageSeconds` ago. */
async function deliver(ageSeconds = 0): Promise<Received> {
  const now = () => new Date(Date.now() - ageSeconds * 1_000);
  const key = await hmacKey(SECRET);
  const sendable = { key, event: "upload.completed", eventId: "evt_1", payload: BODY };
  const { headers } = await deliveryRequest({ now }, sendable);
  return { headers: { ...(headers as Record<string, string>) }, body: BODY };
}

const without = ({ headers, body }: Received, name: string): Received => ({
  headers: Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name)),
  body,
});

const withHeader = ({ headers, body }: Received, name: string, value: string): Received => ({
  headers: { ...headers, [name]: value },
  body,
});

const [SIGNATURE, TIMESTAMP] = ["X-Webhook-Signature", "X-Webhook-Timestamp"];

async function makeCases(): Promise<[what: string, received: Received, isGood: boolean][]> {
  const fresh = await deliver();
  return [
    ["a delivery", fresh, true],
    ["one that took four minutes", await deliver(240), true],
    ["one by a clock that is ahead", await deliver(-240), true],
    ["an old one", await deliver(310), false],
    ["one of the future", await deliver(-310), false],
    ["a changed body", { ...fresh, body: `${BODY} ` }, false],
    [
      "a changed timestamp",
      withHeader(fresh, TIMESTAMP, (await deliver(5)).headers[TIMESTAMP] ?? ""),
      false,
    ],
    ["no timestamp", without(fresh, TIMESTAMP), false],
    ["a timestamp in words", withHeader(fresh, TIMESTAMP, "today"), false],
    ["a timestamp without end", withHeader(fresh, TIMESTAMP, "1".repeat(5_000)), false],
    ["no signature", without(fresh, SIGNATURE), false],
    [
      "half a signature",
      withHeader(fresh, SIGNATURE, fresh.headers[SIGNATURE]?.slice(32) ?? ""),
      false,
    ],
    ["another signature", withHeader(fresh, SIGNATURE, "0".repeat(64)), false],
    ["a signature that is none", withHeader(fresh, SIGNATURE, "é".repeat(64)), false],
  ];
}

const guide = await readFile(join(GUIDES_FOLDER, "webhooks.md"), "utf8");

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "akimbo-checks-"));
});

after(() => rm(folder, { recursive: true }));

function snippet(language: string): string {
  const [code, ...others] = blocksOf(guide, language);
  if (code === undefined || others.length > 0) {
    assert.fail(`The guide of webhooks has to show one block of ${language}.`);
  }
  return code;
}

test("the guide's check of signatures in TypeScript takes deliveries, and nothing else", async () => {
  const path = join(folder, "check.mts");
  await writeFile(path, snippet("ts"));
  const { isFromAkimbo } = await import(pathToFileURL(path).href);
  for (const [what, { headers, body }, isGood] of await makeCases()) {
    assert.equal(isFromAkimbo(new Headers(headers), body, SECRET), isGood, what);
  }
  const { headers, body } = await deliver();
  assert.equal(isFromAkimbo(new Headers(headers), body, "whsec_another"), false);
});

const hasPython = spawnSync("python3", ["--version"]).status === 0;

const ASK = `
import json, sys
for case in json.load(sys.stdin):
    print(is_from_akimbo(case["headers"], case["body"].encode(), case["secret"]))
`;

test("the guide's check of signatures in Python takes deliveries, and nothing else", {
  skip: hasPython ? false : "there is no python3",
}, async () => {
  const cases = await makeCases();
  const asked = [
    ...cases.map(([, received]) => ({ ...received, secret: SECRET })),
    { ...(await deliver()), secret: "whsec_another" },
  ];
  const { stdout, stderr } = spawnSync("python3", ["-c", snippet("python") + ASK], {
    input: JSON.stringify(asked),
    encoding: "utf8",
  });
  assert.equal(stderr, "");
  const told = stdout.trim().split("\n");
  const expected = [...cases.map(([, , isGood]) => isGood), false];
  const names = [...cases.map(([what]) => what), "another secret"];
  assert.deepEqual(
    told.map((one, i) => [names[i], one === "True"]),
    expected.map((isGood, i) => [names[i], isGood]),
  );
});

interface Program {
  /** Tells whether the language is here. */
  version: string[];
  file: string;
  /** The guide's code and a program that asks it about each line of its input. */
  write(code: string): string;
  run(path: string): string[];
}

/** A line of a program's input: timestamp, signature, body and secret in Base64; a header that is missing is "-". */
const toLine = ({ headers, body, secret }: Received & { secret: string }): string =>
  [headers[TIMESTAMP], headers[SIGNATURE], body, secret]
    .map((value) => (value === undefined ? "-" : Buffer.from(value).toString("base64")))
    .join(" ");

const GO_MAIN = `
func decode(text string) string {
	plain, _ := base64.StdEncoding.DecodeString(text)
	return string(plain)
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		parts := strings.Split(lines.Text(), " ")
		headers := http.Header{}
		for i, name := range []string{"X-Webhook-Timestamp", "X-Webhook-Signature"} {
			if parts[i] != "-" {
				headers.Set(name, decode(parts[i]))
			}
		}
		fmt.Println(IsFromAkimbo(headers, []byte(decode(parts[2])), decode(parts[3])))
	}
}
`;

const PHP_MAIN = `
while (($line = fgets(STDIN)) !== false) {
    $parts = explode(' ', trim($line));
    $headers = [];
    foreach (['x-webhook-timestamp', 'x-webhook-signature'] as $i => $name) {
        if ($parts[$i] !== '-') $headers[$name] = base64_decode($parts[$i]);
    }
    echo is_from_akimbo($headers, base64_decode($parts[2]), base64_decode($parts[3])) ? "true\n" : "false\n";
}
`;

const RUBY_MAIN = `
$stdin.each_line do |line|
  parts = line.strip.split(" ")
  names = ["x-webhook-timestamp", "x-webhook-signature"]
  headers = names.each_with_index.reject { |_, i| parts[i] == "-" }.to_h { |name, i| [name, parts[i].unpack1("m")] }
  puts from_akimbo?(headers, parts[2].unpack1("m"), parts[3].unpack1("m"))
end
`;

const JAVA_MAIN = `
class Main {
    static String decode(String text) {
        return text.equals("-") ? null : new String(java.util.Base64.getMimeDecoder().decode(text), StandardCharsets.UTF_8);
    }

    public static void main(String[] args) throws Exception {
        var lines = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] parts = line.split(" ");
            byte[] body = decode(parts[2]).getBytes(StandardCharsets.UTF_8);
            System.out.println(AkimboWebhook.isFromAkimbo(decode(parts[0]), decode(parts[1]), body, decode(parts[3])));
        }
    }
}
`;

const PROGRAMS: Record<string, Program> = {
  go: {
    version: ["go", "version"],
    file: "main.go",
    write: (code) =>
      code
        .replace("package webhooks", "package main")
        .replace(
          "import (",
          'import (\n\t"bufio"\n\t"encoding/base64"\n\t"fmt"\n\t"os"\n\t"strings"',
        ) + GO_MAIN,
    run: (path) => ["go", "run", path],
  },
  php: {
    version: ["php", "--version"],
    file: "check.php",
    write: (code) => code + PHP_MAIN,
    run: (path) => ["php", path],
  },
  ruby: {
    version: ["ruby", "--version"],
    file: "check.rb",
    write: (code) => code + RUBY_MAIN,
    run: (path) => ["ruby", path],
  },
  java: {
    version: ["javac", "--version"],
    file: "Main.java",
    // A file that is run as it stands begins with the class of its main method.
    write: (code) =>
      code.replace("final class AkimboWebhook", `${JAVA_MAIN}\nfinal class AkimboWebhook`),
    run: (path) => ["java", path],
  },
};

for (const [language, { version, file, write, run }] of Object.entries(PROGRAMS)) {
  const [command = "", ...rest] = version;
  const isHere = spawnSync(command, rest).status === 0;
  test(`the guide's check of signatures in ${language} takes deliveries, and nothing else`, {
    skip: isHere ? false : `there is no ${language}`,
  }, async () => {
    const own = join(folder, language);
    await mkdir(own);
    await writeFile(join(own, file), write(snippet(language)));
    const cases = await makeCases();
    const asked = [
      ...cases.map(([, received]) => ({ ...received, secret: SECRET })),
      { ...(await deliver()), secret: "whsec_another" },
    ];
    const [program = "", ...args] = run(join(own, file));
    const { stdout, stderr, status } = spawnSync(program, args, {
      input: asked.map((one) => `${toLine(one)}\n`).join(""),
      encoding: "utf8",
      env: { ...process.env, GOCACHE: join(own, "cache"), GO111MODULE: "off", LC_ALL: "C.UTF-8" },
    });
    assert.equal(status, 0, stderr);
    const expected = [
      ...cases.map(([what, , isGood]) => [what, isGood]),
      ["another secret", false],
    ];
    const told = stdout.trim().split("\n");
    assert.deepEqual(
      told.map((one, i) => [expected[i]?.[0], one === "true"]),
      expected,
    );
  });
}
