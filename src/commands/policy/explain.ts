import { readFile } from "node:fs/promises"
import { buffer } from "node:stream/consumers"

import type { CheckReport } from "../../contract/bot-views.ts"
import { Fault } from "../../std/fault.ts"
import { dateOf } from "../audit/moment.ts"
import { refusedExitCode, waitsExitCode } from "../cli/exit-code.ts"
import { table, type Line } from "../cli/print.ts"
import { argument, option, parsed, required, withDefault } from "../cli/options.ts"
import type { Input } from "../cli/terminal.ts"
import { installationCommand } from "../installation/installation-command.ts"
import { withAdmin } from "../installation/with-vault.ts"
import { differLines } from "./in-force.ts"

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
      (text) => dateOf(text, "--at"),
    ),
  },
  answer: async (installation, { payload, client, path, key, idempotencyKey, at }, { stdin }) => {
    const body = (await readPayload(payload, stdin)).toString("base64")
    const ask = {
      ...{ client, path, body },
      ...(key === undefined ? {} : { key }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(at === undefined ? {} : { at }),
    }
    return withAdmin(installation, async (admin) => ({
      ...(await admin.call("filesOnDisk", {})),
      report: await admin.call("explain", ask),
    }))
  },
  json: ({ report }) => report,
  print: ({ differ, report }) => [...differLines(differ), ...reportLines(report)],
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
