import { Fault } from "../std/fault.ts"
import {
  command,
  print,
  runs,
  withExamples,
  withInstallation,
  withAdmin,
  withJson,
  type InstallationOptions,
  type Printing,
} from "./command-by-hand.ts"
import type { Command } from "./command.ts"
import { hostInUrl } from "./host-in-url.ts"
import { parsePort } from "./port.ts"
import type { Admin } from "./with-vault.ts"

type ConsoleOptions = InstallationOptions & Printing & { readonly port?: string }

/**
 * `countersign console`: prints a link to the console. It starts no browser: what a program is started with,
 * every user of the machine can read, and the link's secret would be in it.
 */
export function consoleCommand(): Command {
  const made = command("console", "print a link to the console, which works once and soon").option(
    "--port <port>",
    "where the gate listens, if not where countersign.yaml says",
  )
  withExamples(made, "countersign console", "countersign console --port 8421")
  return runs<ConsoleOptions>(withJson(withInstallation(made)), async (options) => {
    const given = options.port === undefined ? undefined : parsePort(options.port)
    print(await withAdmin(options, (admin) => makeLink(admin, given)), options, linesOf)
  })
}

type ConsoleLink = {
  readonly url: string
  readonly valid_for_ms: number
  /** For a browser on another machine. */
  readonly tunnel: string
}

async function makeLink(admin: Admin, given: number | undefined): Promise<ConsoleLink> {
  if (admin.daemon === "stopped") throw nothingToShow
  const { secret, valid_for_ms, ...listens } = await admin.call("linkConsole", {})
  const host = hostInUrl(wildcards.includes(listens.host) ? "127.0.0.1" : listens.host)
  const port = given ?? listens.port
  if (port === 0) throw portUnknown
  return {
    url: `http://${host}:${port}/console#${secret}`,
    valid_for_ms,
    tunnel: `ssh -L ${port}:${host}:${port}`,
  }
}

const wildcards = ["0.0.0.0", "::"]

function linesOf({ url, valid_for_ms, tunnel }: ConsoleLink): readonly string[] {
  return [
    url,
    `It works once, within ${valid_for_ms / 1_000} seconds, in a browser of this machine.`,
    `For a browser of another machine, run there first: ${tunnel} <this machine>`,
  ]
}

const nothingToShow = new Fault(
  "vault_unavailable",
  "No daemon runs here, so there is nothing to show; countersign serve starts one.",
)

const portUnknown = new Fault(
  "usage",
  "countersign.yaml lets the gate take any free port; give the one that countersign serve printed with --port.",
)
