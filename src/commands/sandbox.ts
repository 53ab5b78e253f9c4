import { InvalidArgumentError, type Command } from "commander"

import { sandboxProfile, sandboxUrl } from "../sandbox/profile.ts"
import { defaultSandboxPort } from "../sandbox/market.ts"
import { faultKinds, parseFaultText, type VenueFault } from "../sandbox/venue-fault.ts"
import { address } from "../sandbox/fields.ts"
import { startSandbox } from "../sandbox/start-sandbox.ts"
import { Fault } from "../std/fault.ts"
import { command, runs, withExamples } from "./command.ts"
import { parsePort } from "./port.ts"
import type { Printing } from "./print.ts"
import { nextSignal } from "./signals.ts"

type SandboxOptions = Printing & {
  readonly port?: string
  readonly account: readonly string[]
  readonly state?: string
  readonly fault: readonly VenueFault[]
  readonly seed?: string
  readonly printProfile?: boolean
}

/** `countersign sandbox` */
export function sandbox(): Command {
  const made = command("sandbox", "play the venue on this machine, to try bots against")
    .option(
      "--port <port>",
      `where it listens; 0 picks a free one (default: ${defaultSandboxPort})`,
    )
    .option(
      "--account <address>",
      "an address that may trade from the start; once for each",
      collectAddress,
      [],
    )
    .option("--state <file>", "keep what is accepted in this file, and go on from there")
    .option(
      "--fault <fault>",
      `what goes wrong, like drop_after,times=1; once for each: ${Object.keys(faultKinds).join(", ")}`,
      collectFault,
      [],
    )
    .option("--seed <number>", "where the chances of faults come from (default: 1)")
    .option("--print-profile", "print a venue.yaml for it, and end")
  withExamples(
    made,
    "countersign sandbox",
    "countersign sandbox --port 0 --account 0x00000000000000000000000000000000000000a1",
    "countersign sandbox --state sandbox.jsonl --fault latency,ms=300,chance=0.1",
  )
  return runs<SandboxOptions>(made, run)
}

async function run(options: SandboxOptions): Promise<void> {
  const port = options.port === undefined ? defaultSandboxPort : parsePort(options.port)
  if (options.printProfile === true) {
    const url = options.port === undefined ? sandboxUrl : `http://127.0.0.1:${port}`
    process.stdout.write(sandboxProfile({ url, asOf: new Date() }))
    return
  }
  const signal = nextSignal()
  const venue = await startSandbox({
    port,
    accounts: options.account,
    stateFile: options.state,
    faults: options.fault,
    seed: parseSeed(options.seed ?? "1"),
    log: (line) => process.stdout.write(`${line}\n`),
  })
  process.stdout.write(`sandbox listening on ${venue.url}\n`)
  await signal
  await venue.close()
}

function collectAddress(text: string, earlier: readonly string[]): readonly string[] {
  if (address(text) === undefined) return [...earlier, text]
  throw new InvalidArgumentError("An address is 0x and 40 hex digits.")
}

function collectFault(text: string, earlier: readonly VenueFault[]): readonly VenueFault[] {
  const fault = parseFaultText(text)
  if (fault.ok) return [...earlier, fault.value]
  throw new InvalidArgumentError(fault.error)
}

function parseSeed(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new Fault("usage", "--seed takes a number of at most nine digits.")
}
