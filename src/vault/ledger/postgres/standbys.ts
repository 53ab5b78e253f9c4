import { Fault } from "../../../std/fault.ts"

/** How many standbys a commit waits for, by `synchronous_standby_names`: `FIRST 2 (a, b)`, `ANY 1 (a, b)`, `2 (a, b)`, `a`. */
export function demanded(standbys: string): number {
  if (standbys.trim() === "") return 0
  return Number(/^\s*(?:(?:FIRST|ANY)\s+)?(\d+)\s*\(/i.exec(standbys)?.[1] ?? 1)
}

/** @throws {Fault} `ledger_unavailable` where a commit waits for fewer. */
export function assertReplicated(standbys: readonly string[], replicas: number): void {
  const least = Math.min(...standbys.map(demanded))
  if (least >= replicas) return
  throw new Fault(
    "ledger_unavailable",
    `PostgreSQL waits for ${least} standbys and ledger.replicas asks for ${replicas}; set synchronous_standby_names.`,
  )
}
