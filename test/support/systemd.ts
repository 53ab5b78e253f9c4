import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"

import { keepOutput } from "./canaries.ts"
import type { Ended } from "./countersign.ts"
import { fencedBlocks, readRepositoryFile, repositoryRoot, sectionOf } from "./markdown.ts"
import { lacking, needs } from "./needs.ts"

const runner = fileURLToPath(new URL("with-systemd.sh", import.meta.url))

/** The longest that a container may take, with the wait for another test's. */
const longestRunMs = 900_000
const limit = { LIMIT_SECONDS: "480" }

/** Options for a test that boots a systemd in a container: tried once, since what forbids it has many names. */
export function needsSystemd(): { readonly skip?: string } {
  const missing = needs("systemd-nspawn", "apt-get install systemd-container")
  if (missing.skip !== undefined) return missing
  if (process.getuid?.() !== 0) return lacking("needs root, to boot a systemd in a container")
  const tried = spawnSync("bash", [runner, repositoryRoot, "/dev/null"], { timeout: longestRunMs })
  if (tried.status === 0) return {}
  return lacking(`needs a machine where systemd-nspawn boots: ${tried.stderr.toString()}`)
}

/**
 * Boots a systemd, runs a script of bash in it as root, and ends it. The script finds this repository, or another
 * `shared` directory, in /opt/countersign.
 */
export async function underSystemd(script: string, shared = repositoryRoot): Promise<Ended> {
  const directory = await mkdtemp(join(tmpdir(), "cs-systemd-"))
  const file = join(directory, "script")
  await writeFile(file, `${prelude}${script}`)
  const child = spawn("bash", [runner, shared, file], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: longestRunMs,
    env: { ...process.env, ...limit },
  })
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit") as Promise<[number | null]>,
  ])
  await rm(directory, { recursive: true })
  keepOutput("a container's output", `${stdout}\n${stderr}\n`)
  return { code, stdout, stderr }
}

/** What follows each line `== title` in an output, by title. */
export function sectionsIn(output: string): ReadonlyMap<string, string> {
  const parts = `\n${output}`.split("\n== ").slice(1)
  return new Map(
    parts.map((part) => {
      const end = `${part}\n`.indexOf("\n")
      return [part.slice(0, end), part.slice(end + 1).trim()]
    }),
  )
}

/**
 * Lines of a document as a container can run them: the package is this checkout, and credentials are encrypted
 * by the host's key, as there is no TPM2 and systemd-creds wouldn't choose a key that is in memory by itself.
 */
export function inContainer(lines: string): string {
  return lines
    .replaceAll("/usr/lib/countersign", "/opt/countersign")
    .replaceAll("systemd-creds encrypt ", "systemd-creds encrypt --with-key=host ")
}

/** The lines of systemd/README.md that put the units in place, which then start this checkout. */
export function unitsInPlace(): string {
  const byHand = sectionOf(readRepositoryFile("systemd/README.md"), "By hand")
  const [lines = ""] = fencedBlocks(byHand, "sh")
  return `(\n${inContainer(lines)})\nfit_units\n`
}

const prelude = `set -eu
umask 022
export unit=countersign-vault.service
mkdir -p /opt/bin
cat > /opt/bin/countersign <<'SH'
#!/bin/sh
exec /opt/countersign/node_modules/.bin/node /opt/countersign/bin/countersign.js "$@"
SH
chmod 755 /opt/bin/countersign
dirs="--config-dir /etc/countersign --state-dir /var/lib/countersign"

said() { journalctl --unit "$unit" --output cat --no-pager; }

# until_so COMMAND…
until_so() {
  for _ in {1..150}; do
    if "$@"; then return; fi
    sleep 0.2
  done
  echo "in vain: $*" >&2
  said >&2
  exit 1
}

# Units as a checkout can run them: with its own Node, and sources that nobody built.
fit_units() {
  find /etc/systemd/system -name '*countersign*' -type f -exec sed -E -i \\
    's#/usr/lib/countersign/node\\b#/opt/countersign/node_modules/node/bin/node#g; s#/usr/lib/countersign#/opt/countersign#g; s#/dist/(vault|gate|relay)/main.js#/src/\\1/main.ts#' {} +
  systemctl daemon-reload
}

are_serving() { systemctl is-active --quiet countersign-vault.service && systemctl is-active --quiet countersign-gate.service; }
# systemctl stop waits for the target alone.
is_stopped() { [ -z "$(systemctl list-units --no-legend --plain 'countersign*')" ]; }
stop_all() {
  timeout 120 systemctl stop countersign.target
  until_so is_stopped
}
is_failed() { systemctl is-failed --quiet "$unit"; }

allow_orders() {
  printf 'policy: bot\\nrules:\\n  - {name: quote, endpoints: [placeOrder]}\\n' > /etc/countersign/policies/bot.yaml
  countersign policy reload $dirs
}

# order TOKEN: the answer's status and body, as JSON
order() {
  TOKEN=$1 /opt/countersign/node_modules/.bin/node --input-type=module --eval '
    const { bot, limitOrder } = await import("/opt/countersign/test/support/bot.ts")
    const { status, json } = await bot("http://127.0.0.1:8420", process.env.TOKEN).post("/sign/v1/trade/orders", limitOrder())
    console.log(JSON.stringify({ status, json }))'
}

# fail_to_start TITLE: what the journal says of a start that must not succeed
fail_to_start() {
  echo "== $1"
  since=$(date +%s.%N)
  timeout 30 systemctl restart "$unit" || :
  until_so is_failed
  systemctl show --property ExecMainStatus "$unit"
  journalctl --unit "$unit" --output cat --no-pager --since "@$since"
}
`
