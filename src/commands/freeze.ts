import type { Command } from "commander"

import type { AdminParams } from "../link/methods.ts"
import type { FreezeView } from "../link/views.ts"
import { Fault } from "../std/fault.ts"
import {
  command,
  runs,
  withExamples,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "./command.ts"
import { print, type Printing } from "./print.ts"
import { withAdmin } from "./with-vault.ts"

type ScopeOptions = { readonly client?: string; readonly key?: string }

type FreezeOptions = InstallationOptions &
  Printing &
  ScopeOptions & { readonly reason: string; readonly cancels: boolean }

/** `countersign freeze`: nothing is signed from now on but what reduces risk. */
export function freeze(): Command {
  const made = command("freeze", "stop signing at once, for all, a client or a key, until thaw")
    .option("--client <name>", "stop this client alone")
    .option("--key <name>", "stop this key alone")
    .requiredOption("--reason <words>", "why, for the record and for the bots")
    .option("--no-cancels", "stop cancels and reduce-only orders too")
  withExamples(
    made,
    "countersign freeze --reason 'the feed looks wrong'",
    "countersign freeze --client bot --reason maintenance --no-cancels",
  )
  return runs<FreezeOptions>(withJson(withInstallation(made)), async (options) => {
    const { reason, cancels } = options
    const params = { ...(scopeOf(options) ?? { scope: "all", name: null }), reason, cancels }
    const done = await withAdmin(options, (admin) => admin.call("freeze", params))
    print(done, options, (frozen) => [freezeLine(frozen)])
  })
}

/** `countersign thaw`: the only way out of a freeze, whoever made it. */
export function thaw(): Command {
  const made = command("thaw", "end a freeze, whoever made it")
    .option("--client <name>", "the freeze of this client")
    .option("--key <name>", "the freeze of this key")
    .option("--all", "the freeze of everybody; those of single clients and keys stay")
    .option("--everything", "every freeze there is")
  withExamples(made, "countersign thaw --all", "countersign thaw --client bot")
  return runs<InstallationOptions & Printing & ThawOptions>(
    withJson(withInstallation(made)),
    async (options) => {
      const left = await withAdmin(options, (admin) => admin.call("thaw", thawOf(options)))
      print(left, options, (freezes) =>
        freezes.length === 0
          ? ["Nothing is frozen."]
          : ["Still frozen:", ...freezes.map(freezeLine)],
      )
    },
  )
}

type ThawOptions = ScopeOptions & { readonly all?: boolean; readonly everything?: boolean }

function thawOf(options: ThawOptions): AdminParams["thaw"] {
  const { all = false, everything = false } = options
  const named = scopeOf(options)
  const said = [all, everything, named !== undefined].filter(Boolean).length
  if (said !== 1) {
    throw new Fault("usage", "Say what to thaw: --all, --client, --key or --everything.")
  }
  return named ?? { scope: everything ? "everything" : "all", name: null }
}

/** `undefined` where neither a client nor a key is named. */
function scopeOf({ client, key }: ScopeOptions) {
  if (client !== undefined && key !== undefined) {
    throw new Fault("usage", "Name a client or a key, not both.")
  }
  if (client !== undefined) return { scope: "client" as const, name: client }
  return key === undefined ? undefined : { scope: "key" as const, name: key }
}

/** A freeze in one line, for people. */
export function freezeLine({ scope, name, by, reason, cancels, since }: FreezeView): string {
  const what = name === null ? "Everything" : `The ${scope} ${name}`
  const open = cancels ? "cancels and reduce-only orders stay open" : "cancels too"
  return `${what} is frozen since ${new Date(since).toISOString()} by ${by} (${open}): ${reason}`
}
