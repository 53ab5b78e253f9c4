import { isDeepStrictEqual } from "node:util"

import { decideAsShown, thawAsShown } from "../support/a-word.ts"
import type { Calls } from "./calls.ts"
import type { Durable, Moment } from "./checker/checker.ts"
import { isOutOfForce, isStopped, type Leaving } from "./checker/promises.ts"
import type { Scope } from "./events.ts"
import type { KeyName } from "./fake-curve.ts"
import type { Life } from "./machine.ts"
import { bots, fileSets, policies } from "./site.ts"

const faults = ["ledger_unavailable", "keyring_locked", "name_unknown", "usage"]

type Act<Answer> = {
  readonly name: string
  readonly ask: (life: Life) => Promise<Answer>
  readonly heard?: (answer: Answer, since: Moment) => void
}

/** Does what an operator may, and remembers what each answer promises. */
export class Operator {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  freeze(what: Scope, cancels: boolean): void {
    const { scope, name } = what
    const forbids = (leaving: Leaving) => isStopped(leaving, { ...what, cancels })
    const promise = this.#calls.checker.promises.expect({ name: freezeName(what), forbids })
    this.#operate({
      name: freezeName(what),
      ask: ({ admin }) => admin.freeze({ scope, name, reason: "a test", cancels }),
      heard: (_view, since) => promise(this.#durable(since, { act: "frozen", scope, name }).row.id),
    })
  }

  thaw(what: Scope): void {
    this.#calls.checker.promises.lift(freezeName(what))
    this.#operate({
      name: `thaw of ${freezeName(what)}`,
      ask: (life) => thawAsShown(life, what),
    })
  }

  decide(nth: number, to: "released" | "refused"): void {
    const { life } = this.#calls.machine
    const id = life?.vault.ledger.holds(life.vault.now()).at(-1 - nth)?.hold
    if (id === undefined) return
    this.#operate({
      name: `${to} ${id}`,
      ask: (life) => decideAsShown(life, id, to),
      heard: (_view, since) => void this.#durable(since, { act: `hold_${to}`, hold: id }),
    })
  }

  adopt(policy: number): void {
    const files = fileSets[policy]!
    this.#calls.machine.policy = policy
    const { promises } = this.#calls.checker
    promises.lift("reload")
    let place = Infinity
    const forbids = (leaving: Leaving) => isOutOfForce(leaving, policies[policy]!, place)
    const promise = promises.expect({ name: "reload", forbids })
    this.#operate({
      name: `reload of ${policy}`,
      ask: ({ vault }) => vault.inTurn(() => vault.adopt(files)),
      heard: (_nothing, since) => {
        const durable = this.#durable(since, { act: "set_activated", hash: files.policyHash })
        place = durable.place
        promise(durable.row.id)
      },
    })
  }

  revokeClient(bot: number): void {
    const { name } = bots[bot]!
    const forbids = ({ asked }: Leaving) => asked.bot.name === name
    const promise = this.#calls.checker.promises.expect({ name: `revocation of ${name}`, forbids })
    this.#operate({
      name: `revocation of ${name}`,
      ask: ({ admin }) => admin.revokeClient({ name }),
      heard: (_view, since) =>
        promise(this.#durable({ ...since, rows: 0 }, { act: "client_revoked", name }).row.id),
    })
  }

  revokeKey(key: KeyName): void {
    const forbids = ({ asked }: Leaving) => asked.key === key
    const promise = this.#calls.checker.promises.expect({ name: `revocation of ${key}`, forbids })
    this.#operate({
      name: `revocation of ${key}`,
      ask: ({ vault }) => vault.act({ act: "agent_revoked", name: key, record: "" }),
      heard: (_id, since) =>
        promise(this.#durable(since, { act: "agent_revoked", name: key }).row.id),
    })
  }

  lock(): void {
    const promise = this.#calls.checker.promises.expect({ name: "lock", forbids: () => true })
    this.#operate({ name: "lock", ask: ({ admin }) => admin.lock(), heard: () => promise() })
  }

  unlock(): void {
    this.#calls.checker.promises.lift("lock")
    this.#operate({ name: "unlock", ask: ({ unlock }) => unlock() })
  }

  acceptClock(): void {
    this.#operate({
      name: "accept clock",
      ask: async ({ admin }) => admin.acceptClock(await admin.lookAtClock()),
    })
  }

  acceptRestore(): void {
    this.#operate({
      name: "accept restore",
      ask: async ({ admin }) => {
        const { signers } = await admin.lookAtRestore()
        return admin.acceptRestore({ signers: [...signers] })
      },
    })
  }

  /** The act that was answered, which must be durable. */
  #durable(since: Moment, act: Readonly<Record<string, unknown>>): Durable {
    return this.#calls.checker.durableSince(since, (row) =>
      isDeepStrictEqual({ ...row, ...act }, { ...row }),
    )
  }

  #operate<Answer>({ name, ask, heard }: Act<Answer>): void {
    this.#calls.ask({
      ...{ name: `operator: ${name}`, ask, faults },
      heard(answer: Answer, since) {
        heard?.(answer, since)
        return "done"
      },
    })
  }
}

function freezeName({ scope, name }: Scope): string {
  return `freeze of ${name ?? scope}`
}
