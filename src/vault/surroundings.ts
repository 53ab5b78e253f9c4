/** Who runs the vault, and what of its sandbox is known not to hold. */
export type Surroundings = {
  /**
   * `service`: a unit of systemd, which has the vault for itself. `serve`: `countersign serve`, which starts
   * vault and gate as one user. `command`: a command that opened the vault without a daemon.
   */
  readonly startedBy: "service" | "serve" | "command"
  readonly warnings: readonly string[]
}

/** Of a command that opened the vault in its own process. */
export const inACommand: Surroundings = { startedBy: "command", warnings: [] }
