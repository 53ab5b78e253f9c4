import { type MetricFamily, ownFamilies } from "../../link/views/metrics.ts"
import { version } from "../../std/version.ts"
import type { Vault } from "../core/vault.ts"
import { keyFamilies } from "./key-families.ts"
import { placeFamilies } from "./place-families.ts"
import { roomFamilies } from "./room-families.ts"

/** The vault's half of `GET /metrics`. */
export async function showMetrics(vault: Vault): Promise<readonly MetricFamily[]> {
  const { decisions, stages, loopDelay } = vault.metrics
  return [
    decisions.family(),
    stages.family(),
    ...vault.ledger.commits.families(),
    ...roomFamilies(vault),
    ...keyFamilies(vault),
    ...(await placeFamilies(vault)),
    ...ownFamilies("vault", { version, delay: loopDelay() }),
  ]
}
