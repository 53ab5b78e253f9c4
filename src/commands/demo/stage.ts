/** What the demo plays on: sandbox and daemon, as real as any, with keys that live as long as it does. */
export type Stage = {
  readonly daemonUrl: string
  readonly sandboxUrl: string
  readonly token: string
  readonly walletAddress: string
  readonly agentAddress: string
  readonly broken: Promise<never>
  /** Ends everything and removes the temporary directory. */
  close(): Promise<void>
}
