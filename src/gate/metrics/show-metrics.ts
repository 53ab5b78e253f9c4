import type { BotLink } from "../../link/client.ts"
import { refusedByVault } from "../problem.ts"
import type { Reply } from "../reply.ts"
import { exposition, expositionType } from "./exposition.ts"
import type { GateMetrics } from "./gate-metrics.ts"

/** `/metrics`: what vault and gate count of themselves, for a client with that right. */
export async function showMetrics(
  { link, metrics }: { readonly link: BotLink; readonly metrics: GateMetrics },
  token: string,
): Promise<Reply> {
  const counted = await link.call("metrics", { token })
  if (counted.kind === "refused") {
    return { kind: "problem", problem: refusedByVault(counted.refusal, counted.record) }
  }
  const text = exposition([...metrics.families(), ...counted.families])
  return { kind: "text", type: expositionType, text }
}
