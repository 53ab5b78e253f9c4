import { InvalidArgumentError } from "commander"

import { openPath } from "../sandbox/market/open-path.ts"
import { moods } from "../sandbox/market/price-path.ts"
import { sandboxProfile, sandboxUrl } from "../sandbox/profile.ts"
import { startSandbox } from "../sandbox/start-sandbox.ts"
import { address } from "../sandbox/state/fields.ts"
import { defaultSandboxPort, tradeInstead } from "../sandbox/state/market.ts"
import { faultKinds, parseFaultText, type VenueFault } from "../sandbox/faults.ts"
import { command, flag, option, parsed, repeated, type Given } from "./cli/command.ts"
import { portForm, portOf, wholeUpTo } from "./cli/values.ts"
import { Fault } from "../std/fault.ts"
import { withStopSignal, type Terminal } from "./cli/terminal.ts"
import {
  installationOf,
  installationOptions,
  type InstallationOptions,
} from "./installation/installation-command.ts"
import { becomeOwner } from "./installation/usual-installation.ts"
import { openPaperMarket, writePaperVenue } from "./sandbox/paper.ts"

const sandboxOptions = {
  port: parsed(
    option(
      "--port <port>",
      `where it listens; 0 picks a free one (default: ${defaultSandboxPort})`,
    ),
    portOf,
    portForm,
  ),
  accounts: repeated(
    "--account <address>",
    "an address that may trade from the start; once for each",
    parseAddress,
  ),
  stateFile: option("--state <file>", "keep what is accepted in this file, and go on from there"),
  faults: repeated(
    "--fault <fault>",
    `what goes wrong, like drop_after,times=1; once for each: ${Object.keys(faultKinds).join(", ")}`,
    parseFault,
  ),
  seed: parsed(
    option(
      "--seed <number>",
      "the seed of the chances of faults, of --moving and of --market (default: 1)",
    ),
    wholeUpTo(999_999_999),
    "a number of at most nine digits",
  ),
  isMoving: flag("--moving", "the prices of its ticker move, a little each second"),
  market: option(
    "--market <market>",
    `play a market, in which orders fill and accounts gain and lose: ${Object.keys(moods).join(", ")} or a file of time,symbol,price lines`,
  ),
  isPaper: flag(
    "--paper",
    "play the venue for an installation's paper clients, at its daemon's prices; writes venue-paper.yaml where there is none",
  ),
  printProfile: flag("--print-profile", "print a venue.yaml for it, and end"),
}

/** `countersign sandbox` */
export const sandbox = command({
  description: "play the venue on this machine, to try bots against",
  examples: [
    "countersign sandbox",
    "countersign sandbox --port 0 --account 0x00000000000000000000000000000000000000a1",
    "countersign sandbox --state sandbox.jsonl --fault latency,ms=300,chance=0.1",
    "countersign sandbox --market volatile --seed 7",
    "countersign sandbox --paper --port 8422",
  ],
  options: { ...sandboxOptions, ...installationOptions },
  run: async ({ printProfile, isPaper, ...options }, terminal) => {
    if (printProfile) terminal.stdout.write(profileFor(options.port))
    else if (isPaper) await playPaper(options, terminal)
    else await play(options, terminal)
    return 0
  },
})

function profileFor(port: number | undefined): string {
  const url = port === undefined ? sandboxUrl : `http://127.0.0.1:${port}`
  return sandboxProfile({ url, asOf: new Date() })
}

type Asked = Omit<Given<typeof sandboxOptions>, "printProfile" | "isPaper">

/** The paper's venue of an installation: what it trades, in a market, for whoever signs. */
async function playPaper(options: Asked & InstallationOptions, terminal: Terminal): Promise<void> {
  const { port = defaultSandboxPort, seed = 1, market, isMoving, stateFile, accounts } = options
  if (isMoving || stateFile !== undefined || accounts.length > 0) {
    throw new Fault("usage", "--paper goes with neither --moving nor --state nor --account.")
  }
  const installation = installationOf(options)
  becomeOwner(installation.configDir)
  const paper = await openPaperMarket(installation)
  tradeInstead(paper.symbols)
  const path = market === undefined ? paper.path : openPath(market, seed)
  const say = (line: string): void => void terminal.stdout.write(`${line}\n`)
  for (const name of paper.unpriced) {
    say(
      `${name} has no price, so it isn't traded: countersign prices set ${name} PRICE, then start this again`,
    )
  }
  try {
    await withStopSignal(async (stopped) => {
      const { faults } = options
      const venue = await startSandbox({ faults, isOpen: true, path, port, seed, log: say })
      for (const line of await writePaperVenue(venue.url, installation)) say(line)
      say(`sandbox listening on ${venue.url}`)
      await Promise.race([stopped, terminal.unread])
      await venue.close()
    })
  } finally {
    paper.close()
  }
}

async function play(
  { port = defaultSandboxPort, seed = 1, market, ...options }: Asked,
  { stdout, unread }: Terminal,
): Promise<void> {
  if (market !== undefined && (options.isMoving || options.stateFile !== undefined)) {
    throw new Fault("usage", "--market goes with neither --moving nor --state.")
  }
  const path = market === undefined ? undefined : openPath(market, seed)
  const say = (line: string): void => void stdout.write(`${line}\n`)
  await withStopSignal(async (stopped) => {
    const venue = await startSandbox({ ...options, path, port, seed, log: say })
    say(`sandbox listening on ${venue.url}`)
    await Promise.race([stopped, unread])
    await venue.close()
  })
}

function parseAddress(text: string): string {
  if (address(text) === undefined) return text
  throw new InvalidArgumentError("An address is 0x and 40 hex digits.")
}

function parseFault(text: string): VenueFault {
  const fault = parseFaultText(text)
  if (fault.ok) return fault.value
  throw new InvalidArgumentError(fault.error)
}
