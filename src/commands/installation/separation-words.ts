import type { StatusView } from "../../link/views/views.ts"

/** What keeps gate and vault apart, by how the vault was started: a clause without an end. */
export function separationWords(startedBy: NonNullable<StatusView["started_by"]>): string {
  switch (startedBy) {
    case "serve":
      return "gate and vault are one user (under serve): guards against bugs and accidents, not against that user"
    case "service":
      return "the vault is a service with a user of its own: a boundary, as long as nothing else runs as that user"
  }
}
