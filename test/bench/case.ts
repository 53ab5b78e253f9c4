/** What one measurement found, by names that have their unit: `p50 ms`. */
export type Figures = Readonly<Record<string, number>>

/** Something that is measured beside the others of its case. */
export type Subject = {
  readonly name: string
  measure(): Promise<Figures>
}

/** What was started for a case. */
export type Opened = {
  readonly subjects: readonly Subject[]
  /** Why something that belongs here isn't measured on this machine. */
  readonly skipped?: readonly string[]
  close(): Promise<void>
}

export type Settings = {
  /** Of one measurement. */
  readonly seconds: number
  readonly warmUpSeconds: number
  /** Of one measurement at a steady rate. */
  readonly steadySeconds: number
  readonly rounds: number
  /** Only subjects whose name has it are measured. */
  readonly subjects: string
  /** Paces, in requests a second, and how many requests one measurement has. */
  readonly paces: readonly number[]
  readonly requests: number
  /** Another checkout, installed: its daemon is measured beside this one's. */
  readonly beside: string | undefined
  /** What is published, built first, or the sources as they are, which start more slowly. */
  readonly program: "built" | "checkout"
  readonly load: "wrk" | "node"
  /** How many the memory is watched over. */
  readonly signatures: number
  /** Of the large ledger. */
  readonly records: number
}

/** Subjects that are measured in turn, A B A B, so that what else the machine does falls on all. */
export type Case = {
  readonly name: string
  readonly what: string
  /** Runs only when it is asked for by name. */
  readonly isOnDemand?: boolean
  /** Instead of those of the settings. */
  readonly rounds?: number
  open(settings: Settings): Promise<Opened>
}
