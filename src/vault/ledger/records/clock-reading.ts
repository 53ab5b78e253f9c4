/** Wall time and the machine's uptime at one moment, as the ledger keeps them. */
export type ClockReading = {
  readonly wallMs: number
  readonly uptimeMs: number
  readonly bootId: string
}
