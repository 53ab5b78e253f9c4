import type { AdminParams } from "../../link/calls/methods.ts"
import type { Acts } from "../active/active-set.ts"

const unnoted: readonly (keyof AdminParams)[] = [
  // They change nothing.
  ...(["health", "status", "facts", "explain", "upstream", "notify"] as const),
  ...([
    "listKeys",
    "listClients",
    "listPrices",
    "listHolds",
    "listLimits",
    "listRaises",
    "listSymbols",
  ] as const),
  ...(["filesInForce", "ledgerHead", "auditArchivable", "ledgerServer"] as const),
  // Steps of what is recorded when it has happened.
  ...(["auditCheckpoint", "auditTrim"] as const),
]

type Method = (params: never) => unknown

/**
 * The admin socket's methods, each of which first records that it was asked for, and by whom: what the command said, else
 * `fallback`. A note, not a proof. A ledger that can't take it doesn't hold the call up, for keys must be locked then too.
 */
export function notedMethods<Methods extends Readonly<Record<string, Method>>>(
  methods: Methods,
  { act }: Pick<Acts, "act">,
  fallback: string,
): Methods {
  const noted = Object.entries(methods).map(([method, run]): readonly [string, Method] => {
    if (unnoted.some((name) => name === method)) return [method, run]
    const runNoted = (params: never, by = fallback): unknown => {
      act({ act: "asked", method, by }).catch(() => undefined)
      return run(params)
    }
    return [method, runNoted]
  })
  return Object.fromEntries(noted) as Methods // the same names and types
}
