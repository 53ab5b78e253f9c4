import { readFile } from "node:fs/promises"
import { buffer } from "node:stream/consumers"

import type { Command } from "commander"

import type { CheckReport } from "../../link/views.ts"
import { Fault } from "../../std/fault.ts"
import {
  command,
  runs,
  withExamples,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "../command.ts"
import { print, table, type Printing } from "../print.ts"
import { withAdmin } from "../with-vault.ts"

type ExplainOptions = InstallationOptions &
  Printing & { readonly client: string; readonly path: string; readonly key?: string }

/** `countersign policy explain PAYLOAD`: what every rule and limit makes of a request; nothing is signed or counted. */
export function policyExplain(): Command {
  const made = command("explain", "say what every rule and limit makes of a request")
    .argument("<payload>", "a file with the body as a bot would send it, or - for standard input")
    .requiredOption("--client <name>", "the bot that would send it")
    .option("--path <path>", "the venue's path it would be sent to", "/v1/trade/orders")
    .option("--key <name>", "the key it would name")
  withExamples(
    made,
    "countersign policy explain order.json --client mm-bot",
    "countersign policy explain - --client mm-bot --path /v1/trade/orders < order.json",
  )
  return runs<ExplainOptions>(withJson(withInstallation(made)), async (options, payload = "-") => {
    const { client, path, key } = options
    const body = (await readPayload(payload)).toString("base64")
    const report = await withAdmin(options, (admin) =>
      admin.call("explain", { client, path, body, ...(key === undefined ? {} : { key }) }),
    )
    print(report, options, reportLines)
  })
}

async function readPayload(file: string): Promise<Buffer> {
  if (file === "-") return buffer(process.stdin)
  return readFile(file).catch((cause: unknown) => {
    throw new Fault("usage", `${file} can't be read; name a file, or - for standard input.`, {
      cause,
    })
  })
}

function reportLines({ would_sign, refusal, verdicts, limits }: CheckReport): readonly string[] {
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
    ...(rules.length > 0 ? ["", ...table(["RULE", "WHERE", "VERDICT", "REASON"], rules)] : []),
    ...(spent.length > 0 ? ["", ...table(["LIMIT", "USED", "ASKED", "MAX"], spent)] : []),
  ]
}
