import type { KeyName } from "./fake-curve.ts"
import type { Torn } from "./store/disk.ts"

/** What a bot asks for. */
export type Wanted = {
  /** A cancel, an order of so many that each cost 1, or one that only reduces. */
  readonly order: "cancel" | number | { readonly exit: number }
  /** The bot's default where it is left out. */
  readonly key?: KeyName
  /** Of few, so that several ask with the same one. */
  readonly idempotency?: number
}

/** What becomes of a request that was forwarded. */
export type Told =
  "sent" | "unsent" | "withdrawn" | "accepted" | "refused" | "refused again" | "unknown"

export type Scope = { readonly scope: "all" | "client" | "key"; readonly name: string | null }

/** What happens next. All that it takes is in it, so that a history goes on without any other event. */
export type Happening =
  | Doing<"sign", { readonly bot: number; readonly wanted: Wanted; readonly purpose: Purpose }>
  | Doing<"batch", { readonly bot: number; readonly wanted: readonly Wanted[] }>
  /** Of what was forwarded: the last, the one before it, … */
  | Doing<"report", { readonly nth: number; readonly told: Told }>
  | Doing<"freeze", { readonly what: Scope; readonly cancels: boolean }>
  | Doing<"thaw", { readonly what: Scope }>
  /** A person's word on the last hold, or the one before it, …, whether it waits or not. */
  | Doing<"decide", { readonly nth: number; readonly to: "released" | "refused" }>
  | Doing<"adopt", { readonly policy: number }>
  | Doing<"revoke client", { readonly bot: number }>
  | Doing<"revoke key", { readonly key: KeyName }>
  | Doing<"lock" | "unlock" | "accept clock" | "accept restore">
  /** What was asked of the disk first becomes durable. */
  | Doing<"commit", { readonly most: number }>
  /** Who asked it is told; marks become durable; a copy of the ledger is made. */
  | Doing<"tell" | "write marks" | "back up">
  | Doing<"fill disk", { readonly torn: Torn }>
  | Doing<"crash", { readonly torn: Torn; readonly reboot: boolean; readonly restore: boolean }>
  /** Where the daemon doesn't run, it starts; the power goes after `dies` commits of that. */
  | Doing<"start", { readonly policy: number; readonly dies: number | undefined }>
  /** The daemon is told to end, and closes its ledger. */
  | Doing<"stop">
  | Doing<"pass" | "leap", { readonly ms: number }>

export type Purpose = "return" | "forward"

/** One of each word. */
type Doing<What extends string, About = unknown> = What extends string
  ? { readonly do: What } & About
  : never

export type Event = Happening & {
  /** How many microtasks pass before the next event; `all`: until nothing goes on by itself. */
  readonly then: number | "all"
}

/** What a seed makes happen. */
export type Plan = {
  readonly events: readonly Event[]
  /** Faults end with the events, and all that was asked must come to an end. */
  readonly isToEndWell: boolean
}

/** A line of a trace. */
export function eventText({ then, ...event }: Event): string {
  const { do: what, ...rest } = event
  const about = JSON.stringify(rest).slice(1, -1).replaceAll('"', "")
  return `${what} ${about}${then === "all" ? "" : ` (then ${then})`}`
}
