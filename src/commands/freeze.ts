import type { AdminParams } from "../link/calls/methods.ts"
import type { FreezeView } from "../link/views/views.ts"
import { Fault } from "../std/fault.ts"
import { flag, option, required } from "./cli/options.ts"
import { adminCommand } from "./installation/admin-command.ts"
import { freezeLine } from "./status/status-lines.ts"

type ScopeOptions = { readonly client: string | undefined; readonly key: string | undefined }

/** `countersign freeze`: nothing is signed from now on but what reduces risk. */
export const freeze = adminCommand({
  description: "stop signing at once, for all, a client or a key, until thaw",
  examples: [
    "countersign freeze --reason 'the feed looks wrong'",
    "countersign freeze --client bot --reason maintenance --no-cancels",
  ],
  options: {
    client: option("--client <name>", "stop this client alone"),
    key: option("--key <name>", "stop this key alone"),
    reason: required(option("--reason <words>", "why, for the record and for the bots")),
    cancels: flag("--no-cancels", "stop cancels and reduce-only orders too"),
  },
  call: (admin, { reason, cancels, ...options }) => {
    const scope = scopeOf(options) ?? { scope: "all", name: null }
    return admin.call("freeze", { ...scope, reason, cancels })
  },
  print: (frozen) => [freezeLine(frozen)],
})

type ThawOptions = ScopeOptions & { readonly all: boolean; readonly everything: boolean }

/** `countersign thaw`: the only way out of a freeze, whoever made it. */
export const thaw = adminCommand<readonly FreezeView[], ThawOptions>({
  description: "end a freeze, whoever made it",
  examples: ["countersign thaw --all", "countersign thaw --client bot"],
  options: {
    client: option("--client <name>", "the freeze of this client"),
    key: option("--key <name>", "the freeze of this key"),
    all: flag("--all", "the freeze of everybody; those of single clients and keys stay"),
    everything: flag("--everything", "every freeze there is"),
  },
  call: (admin, options) => admin.call("thaw", thawOf(options)),
  print: (left) =>
    left.length === 0 ? ["Nothing is frozen."] : ["Still frozen:", ...left.map(freezeLine)],
})

function thawOf({ all, everything, ...options }: ThawOptions): AdminParams["thaw"] {
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
