import type { BotParams, BotResults } from "../../link/calls/methods.ts"
import { ownFamilies } from "../../link/views/metrics.ts"
import { version } from "../../std/version.ts"
import type { Vault } from "../core/vault.ts"
import { clientWithRight } from "../request/authenticate.ts"
import { refuse } from "../request/refuse.ts"
import { keyFamilies } from "./key-families.ts"
import { placeFamilies } from "./place-families.ts"
import { roomFamilies } from "./room-families.ts"

/** The vault's half of `GET /metrics`, for a client with that right. */
export async function showMetrics(
  { token }: BotParams["metrics"],
  vault: Vault,
): Promise<BotResults["metrics"]> {
  const client = clientWithRight(token, "metrics", vault)
  if (!client.ok) return refuse(client.error, null)
  const { decisions, stages, loopDelay } = vault.metrics
  return {
    kind: "answer",
    families: [
      decisions.family(),
      stages.family(),
      ...vault.ledger.commits.families(),
      ...roomFamilies(vault),
      ...keyFamilies(vault),
      ...(await placeFamilies(vault)),
      ...ownFamilies("vault", { version, delay: loopDelay() }),
    ],
  }
}
