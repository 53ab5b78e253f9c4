import { statSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { buffer } from "node:stream/consumers"

import { replay, type Replayed } from "../../audit/replay.ts"
import type { CheckReport } from "../../contract/bot-views.ts"
import { Fault } from "../../std/fault.ts"
import { parseDurationMs } from "../../std/time/duration.ts"
import { utcText } from "../../std/time/time-words.ts"
import type { FileSet } from "../../vault/config/load-files.ts"
import { dateForm, dateOf } from "../cli/values.ts"
import { argument, flag, option, parsed, required, withDefault } from "../cli/command.ts"
import { refusedExitCode, waitsExitCode } from "../cli/exit-code.ts"
import { table, type Line } from "../cli/print.ts"
import type { Input } from "../cli/terminal.ts"
import { loadCheckedFiles } from "../installation/checked-files.ts"
import { withAdmin, withLedger } from "../installation/admin.ts"
import { becomeOwner } from "../installation/usual-installation.ts"
import { installationCommand } from "../installation/installation-command.ts"
import { differLines } from "./in-force.ts"
import { filesInForce } from "./show.ts"

/** `countersign policy explain PAYLOAD`: what every rule and limit makes of a request; nothing is signed or counted. */
export const policyExplain = installationCommand({
  description: "say what every rule and limit makes of a request",
  notes: `
It ends with 0 where the request would be signed, 3 where it would be refused, and 5 where it would wait for a
person.`,
  examples: [
    "countersign policy explain order.json --client mm-bot",
    "countersign policy explain order.json --client mm-bot --at 2026-05-30T03:00:00Z",
    "countersign policy explain - --client mm-bot --path /v1/trade/orders < order.json",
    "countersign policy explain order.json --client mm-bot --files",
  ],
  options: {
    payload: argument(
      "<payload>",
      "a file with the body as a bot would send it, or - for standard input",
    ),
    client: required(option("--client <name>", "the bot that would send it")),
    path: withDefault(
      option("--path <path>", "the venue's path it would be sent to"),
      "/v1/trade/orders",
    ),
    key: option("--key <name>", "the key it would name"),
    idempotencyKey: option("--idempotency-key <key>", "the Idempotency-Key it would have"),
    at: parsed(
      option("--at <time>", "judge it as of this time, like 2026-05-28T12:00:00Z; now if left out"),
      dateOf,
      dateForm,
    ),
    files: flag("--files", "judge it by the files on disk, in place of those in force"),
  },
  answer: async (
    installation,
    { payload, client, path, key, idempotencyKey, at, files },
    { stdin },
  ) => {
    const body = (await readPayload(payload, stdin)).toString("base64")
    const ask = { client, path, body, key, idempotencyKey, at, onDisk: files || undefined }
    return withAdmin(installation, async (admin) => {
      const report = await admin.call("explain", ask)
      if (!files) return { ...(await admin.call("filesOnDisk", {})), report, uncounted: [] }
      const onDisk = await loadCheckedFiles(installation)
      return {
        differ: null,
        report,
        uncounted: uncountedIn(report, onDisk, await filesInForce(admin)),
      }
    })
  },
  json: ({ report }) => report,
  print: ({ differ, report, uncounted }) => [
    ...differLines(differ),
    ...reportLines(report),
    ...uncounted.map(
      (limit) =>
        `note: ${limit} isn't in force, so nothing was counted of it; a reload counts it from the records`,
    ),
  ],
  exitCode: ({ report: { refusal } }) => {
    if (refusal === null) return 0
    return refusal.code === "approval_required" ? waitsExitCode : refusedExitCode
  },
})

async function readPayload(file: string, stdin: Input): Promise<Buffer> {
  if (file === "-") return buffer(stdin)
  return readFile(file).catch((cause: unknown) => {
    throw new Fault("usage", `${file} can't be read; name a file, or - for standard input.`, {
      cause,
    })
  })
}

/** The limits of a report that those in force don't count for, by name. */
function uncountedIn(
  { limits }: CheckReport,
  onDisk: FileSet,
  inForce: FileSet,
): readonly string[] {
  const definitions = ({ policies }: FileSet) =>
    policies.flatMap(({ name, limits: all }) =>
      all.map(({ name: limit, definition }) => [`${name}/${limit}`, definition] as const),
    )
  const counted = new Set(definitions(inForce).map(([, definition]) => definition))
  const fresh = definitions(onDisk).filter(([, definition]) => !counted.has(definition))
  const asked = limits.map(({ policy, limit }) => `${policy}/${limit}`)
  return fresh.map(([name]) => name).filter((name) => asked.includes(name))
}

function reportLines({ would_sign, refusal, verdicts, limits }: CheckReport): readonly Line[] {
  const rules = verdicts.map(({ policy, rule, file, line, verdict, reason }) => [
    `${policy}/${rule}`,
    `${file}:${line}`,
    verdict.replaceAll("_", " "),
    reason ?? "",
  ])
  const spent = limits.map(({ policy, limit, used, asked, max }) => [
    `${policy}/${limit}`,
    used,
    asked,
    max,
  ])
  return [
    would_sign ? "It would be signed." : `It would be refused: ${refusal?.message ?? ""}`,
    ...(rules.length > 0 ? ["", table(["RULE", "WHERE", "VERDICT", "REASON"], rules)] : []),
    ...(spent.length > 0 ? ["", table(["LIMIT", "USED", "ASKED", "MAX"], spent)] : []),
  ]
}

/** `countersign policy replay --since 7d`: what other files would have refused of what was signed. */
export const policyReplay = installationCommand({
  description: "judge the requests of the past by other files, before you put them in force",
  examples: [
    "countersign policy replay --since 7d",
    "countersign policy replay --since 1d --candidate ./candidate",
  ],
  options: {
    sinceMs: parsed(
      withDefault(option("--since <duration>", "how far back, like 7d"), "7d"),
      parseDurationMs,
      "a duration like 7d",
    ),
    candidate: option(
      "--candidate <dir>",
      "a configuration directory; the files on disk if left out",
    ),
  },
  answer: async (installation, { sinceMs, candidate }) => {
    const configDir = candidate === undefined ? installation.configDir : resolve(candidate)
    // What root has copied for this may be root's alone.
    if (candidate === undefined || !isRoots(configDir)) becomeOwner(installation.stateDir)
    const files = await loadCheckedFiles({ ...installation, configDir })
    return withLedger(installation, (ledger) => replay(ledger, files, Date.now() - sinceMs))
  },
  print: replayLines,
})

function isRoots(directory: string): boolean {
  return statSync(directory, { throwIfNoEntry: false })?.uid === 0
}

function replayLines({ requests, refusals, refused }: Replayed): readonly Line[] {
  const head = `${refusals} of ${requests} requests would now be refused.`
  if (refused.length === 0) return [head]
  const rows = refused.map(({ record, at, client, operation, reason, policy, rule }) => [
    record,
    utcText(at),
    client,
    operation,
    reason,
    policy === null ? "-" : `${policy}/${rule ?? ""}`,
  ])
  return [head, "", table(["RECORD", "AT", "CLIENT", "OPERATION", "REASON", "RULE"], rows)]
}
