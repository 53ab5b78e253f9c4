// docs/go-live.md as lines of bash for a container that has the package at /opt/countersign. Before and after each step
// comes what `countersign doctor --live` says then, on a line `== before TITLE` and `== after TITLE`.

import assert from "node:assert/strict"

import { actionTags } from "../../src/sandbox/signing/typed-hash.ts"
import { sandboxUrl } from "../../src/sandbox/profile.ts"
import { sandboxChainId, sandboxServiceChain } from "../../src/sandbox/state/market.ts"
import type { LiveCheck } from "../../src/commands/doctor/finding.ts"
import { readRepositoryFile } from "./markdown.ts"
import { pageBlocks } from "./page-blocks.ts"

/** A heading of the page, with the lines that are ok after what stands under it. */
export type Step = {
  readonly title: string
  readonly checks: readonly LiveCheck[]
  readonly lines: string
}

const webhookPort = 8499
/** Where what the webhook was sent is kept in the container. */
const heardFile = "/run/heard"

/** What the page makes up of the venue and the webhook, and what stands for it: here the sandbox plays `main`. */
const played: readonly (readonly [madeUp: string, own: string])[] = [
  ["https://api.venue.example", sandboxUrl],
  ["chain_id: 84256", `chain_id: ${sandboxChainId}`],
  ["service_chain: Mainnet", `service_chain: ${sandboxServiceChain}`],
  ["signature_chain_ids: [84256]", `signature_chain_ids: [${sandboxChainId}]`],
  ["action_tag: 101", `action_tag: ${actionTags.cancelOrder}`],
  ["action_tag: 102", `action_tag: ${actionTags.cancelBatch}`],
  ["action_tag: 103", `action_tag: ${actionTags.cancelAll}`],
  ["https://hooks.example/services/made-up", `http://127.0.0.1:${webhookPort}/made-up`],
]

/** What a container needs in place of the page's words: nobody to ask or to wait, no TPM2, the token that was shown before. */
const inContainer: readonly (readonly [shown: string, run: string])[] = [
  ["countersign install-service\n", "countersign install-service --yes\n"],
  ["countersign init-service ", "countersign init-service --with-key=host "],
  [
    "systemctl enable --now countersign.target\n",
    "systemctl enable --now countersign.target\nuntil_so answers\n",
  ],
  [
    "systemctl restart countersign-gate countersign-vault\n",
    "systemctl restart countersign-gate countersign-vault\nuntil_so answers\n",
  ],
  [
    "countersign panic --reason 'a drill'\n",
    `countersign panic --reason 'a drill'\nuntil_so grep --quiet '"alarm":"frozen"' ${heardFile}\n`,
  ],
  ["countersign prices show\n", "feed &\ncountersign prices show\n"],
  // What is signed is for the sandbox, which no venue's page has.
  ["countersign doctor --live\ncurl", "countersign doctor --live || true\ncurl"],
  ["TOKEN=cs_…\n", "TOKEN=$(grep --only-matching 'cs_[^ ]*' /run/printed | tail -1)\n"],
]

/** The steps of docs/go-live.md with commands to run, in its order. Each change that is made to the page's words is found in them. */
export function goLiveSteps(page = readRepositoryFile("docs/go-live.md")): readonly Step[] {
  const replaced = [...played, ...inContainer].reduce((text, [shown, own]) => {
    assert.ok(text.includes(shown), `the page has ${shown}`)
    return text.replaceAll(shown, own)
  }, page)
  // Under the page's own title stands what is done before and after each step.
  const blocks = pageBlocks(replaced).filter(
    ({ language, title }) => language === "sh" && title !== "Going live",
  )
  const titles = new Set(blocks.map(({ title }) => title))
  return [...titles].map((title) => {
    const own = blocks.filter((each) => each.title === title)
    const [, names = ""] = /\((.*)\)$/.exec(title) ?? []
    const checks = [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name as LiveCheck) // held by a test
    return { title, checks, lines: own.map(({ text }) => text).join("\n") }
  })
}

const setUp = `
prefix=/opt/countersign
export PATH=$prefix/bin:$PATH
node=$prefix/bin/node
answers() { curl --silent --fail --max-time 5 --output /dev/null http://127.0.0.1:8420/readyz; }
# The bot's feed, which runs beside the page's steps.
feed() {
  while sleep 5; do
    curl --silent http://127.0.0.1:8420/prices -H "Authorization: Bearer $TOKEN" \\
      -H 'Content-Type: application/json' -d '{"prices": [{"symbol": "BTC-PERP", "value": "63010"}]}'
  done > /dev/null 2>&1
}
look() { countersign doctor --live --json || echo "code $?"; }

# A time server's client of this machine's, which the container has none of: it sets the clock once it is told to.
cat > /opt/bin/timedatectl <<'SH'
#!/bin/sh
[ "$1" != set-ntp ] || touch /run/ntp
[ "$1" != show ] || { [ "$3" = --value ] || printf NTPSynchronized=; test -e /run/ntp && echo yes || echo no; }
SH
chmod 755 /opt/bin/timedatectl
export PATH=/opt/bin:$PATH
rm /opt/bin/countersign

systemd-run --quiet --unit=sandbox --property=DynamicUser=yes "$node" "$prefix/bin/countersign" sandbox
cat > /run/receive.mjs <<'JS'
import { createServer } from "node:http"
import { appendFileSync } from "node:fs"
import { text } from "node:stream/consumers"
createServer(async (request, response) => {
  appendFileSync("${heardFile}", JSON.stringify(JSON.parse(await text(request))) + "\\n")
  response.end()
}).listen(${webhookPort}, "127.0.0.1")
JS
systemd-run --quiet --unit=receive "$node" /run/receive.mjs
trap '[ $? = 0 ] || cat /run/step' EXIT # what a step that failed has said
mkdir /run/empty && cd /run/empty
(umask 077; head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \\n' > key.hex)
`

/** Goes live by the page, and looks before and after each step. */
export function goLiveScript(steps: readonly Step[]): string {
  const played = steps.map(
    ({ title, lines }) => `
echo "== before ${plain(title)}"
look
echo "== step ${plain(title)}"
{
${lines}
} > /run/step 2>&1
cat /run/step >> /run/printed
sed -E 's/cs_[^ ]*/cs_…/' /run/step
echo "== after ${plain(title)}"
look
`,
  )
  return `${setUp}${played.join("")}
kill %1
echo "== heard"
cat ${heardFile}
`
}

/** As a word of a section's line. */
export function plain(title: string): string {
  return title.replaceAll("\`", "")
}
