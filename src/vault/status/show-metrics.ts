import { type MetricFamily, ownFamilies } from "../../link/metrics.ts"
import { version } from "../../std/version.ts"
import { keyFamilies } from "./key-families.ts"
import { placeFamilies } from "./place-families.ts"
import { roomFamilies } from "./room-families.ts"
import type { StatusSources } from "./sources.ts"

/** The vault's half of `GET /metrics`. */
export async function showMetrics(sources: StatusSources): Promise<readonly MetricFamily[]> {
  const { decisions, stages, loopDelay } = sources.metrics
  return [
    decisions.family(),
    stages.family(),
    ...sources.ledger.commits.families(),
    ...roomFamilies(sources),
    ...keyFamilies(sources),
    ...(await placeFamilies(sources)),
    ...ownFamilies("vault", { version, delay: loopDelay() }),
  ]
}
