/** How it goes from host to host. */
export type BatonWay = {
  /** Resolves once it is this host's, and all that others did with it is followed. */
  take(): Promise<void>
  give(): Promise<void>
  isWanted(): Promise<boolean>
  /** Whether others did anything a moment ago: then it isn't kept where nothing is to do. */
  othersAreActive(): boolean
  /** Resolves once all that was decided here is out: whoever has it next may say that nothing more comes. */
  settled(): Promise<void>
}

/** For how long it is kept where nothing is to do and nobody else wants it. */
const keepMs = 500
/** How often it is asked while it is here whether anybody does. */
const lookMs = 10

type Waiting = { readonly resolve: () => void; readonly reject: (fault: Error) => void }

/** The turn of this host among those that append to one ledger. Owns a timer, which ends with `end`. */
export class Baton {
  readonly #way: BatonWay
  readonly #fail: (error: unknown) => void
  #state: "away" | "moving" | "here" = "away"
  /** How many use it. */
  #inside = 0
  #isWanted = false
  #waiting: Waiting[] = []
  #keptLooks = 0
  #timer: NodeJS.Timeout | undefined
  #fault: Error | undefined

  /** Starts without it. `fail` is told why it couldn't be had or given on. */
  constructor(way: BatonWay, fail: (error: unknown) => void) {
    this.#way = way
    this.#fail = fail
  }

  /** Resolves once it is this host's, which it stays until `leave`. Rejects with why it can't be any more. */
  enter(): Promise<void> {
    if (this.#fault !== undefined) return Promise.reject(this.#fault)
    // Others come first where they wait, or they never would.
    if (this.#state === "here" && !this.#isWanted) {
      this.stay()
      return Promise.resolve()
    }
    const entered = new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject }))
    if (this.#state === "away") void this.#move(() => this.#take())
    return entered
  }

  /** As `enter`, within it. */
  stay(): void {
    this.#inside += 1
  }

  leave(): void {
    this.#inside -= 1
    this.#keptLooks = 0
    this.#rest()
  }

  /** Takes it once, unless it is used: what others did is followed then. */
  visit(): void {
    if (this.#state !== "away") return
    this.enter().then(
      () => this.leave(),
      () => undefined, // it has ended, which whoever enters is told
    )
  }

  /** Another host waits for it. */
  want(): void {
    this.#isWanted = true
  }

  /** It can't be this host's any more. */
  end(fault: Error): void {
    this.#fault ??= fault
    clearTimeout(this.#timer)
    const waiting = this.#waiting
    this.#waiting = []
    for (const { reject } of waiting) reject(this.#fault)
  }

  async #move(step: () => Promise<void>): Promise<void> {
    this.#state = "moving"
    clearTimeout(this.#timer)
    try {
      await step()
    } catch (error) {
      this.#fail(error)
    }
  }

  async #take(): Promise<void> {
    await this.#way.take()
    this.#state = "here"
    this.#isWanted = false
    const waiting = this.#waiting
    this.#waiting = []
    this.#inside += waiting.length
    for (const { resolve } of waiting) resolve()
    this.#rest()
    this.#lookSoon()
  }

  async #give(): Promise<void> {
    await this.#way.settled()
    await this.#way.give()
    this.#state = "away"
    if (this.#waiting.length > 0) await this.#move(() => this.#take())
  }

  /** Gives it on or keeps it, where nobody uses it. */
  #rest(): void {
    if (this.#inside > 0 || this.#state !== "here" || this.#fault !== undefined) return
    const isKept =
      !this.#isWanted && !this.#way.othersAreActive() && this.#keptLooks * lookMs < keepMs
    if (!isKept) void this.#move(() => this.#give())
  }

  /** Also while it is used: of turns that commit nothing no commit hears that others wait. */
  #lookSoon(): void {
    clearTimeout(this.#timer)
    if (this.#state !== "here" || this.#fault !== undefined) return
    this.#timer = setTimeout(() => void this.#look(), lookMs)
  }

  async #look(): Promise<void> {
    try {
      this.#keptLooks += 1
      if (await this.#way.isWanted()) this.#isWanted = true
      this.#rest()
      this.#lookSoon()
    } catch (error) {
      this.#fail(error)
    }
  }
}
