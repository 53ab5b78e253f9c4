import type { FilesInForce } from "./active/active-set.ts"
import type { Checkpoints } from "./watch/checkpoints.ts"
import type { Custody } from "./custody/custody.ts"
import type { Keyring } from "./keyring/keyring.ts"
import type { Outbox } from "./ledger/outbox.ts"
import type { Clients } from "./operator/client-methods.ts"
import type { Polling } from "./operator/price-methods.ts"
import type { Clock } from "./process/clock.ts"
import type { ForGate } from "./status/for-gate.ts"
import type { StatusSources } from "./status/sources.ts"
import type { AutoFreeze } from "./watch/auto-freeze.ts"
import type { BadTokenCount } from "./watch/bad-tokens.ts"
import type { Heartbeats } from "./stops/heartbeat.ts"

/** All that an open vault is made of. Whoever answers a call is handed what of it that takes. */
export type Vault = StatusSources &
  Clients &
  FilesInForce &
  Polling &
  Custody & {
    /** For how long something takes. */
    readonly clock: Pick<Clock, "monotonicMs">
    readonly keyring: Keyring
    readonly checkpoints: Checkpoints
    readonly badTokens: BadTokenCount
    readonly autoFreeze: AutoFreeze
    readonly heartbeats: Heartbeats
    readonly forGate: ForGate
    /** What the gate sends without being asked over HTTP. */
    readonly outbox: Outbox
    /** Overwrites the keys in memory and gives the ledger's lock back. */
    close(): Promise<void>
  }
