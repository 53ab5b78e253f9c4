// In which order a batch goes elsewhere, those who wait are told, and the copy commits. With a real thread and a real
// PostgreSQL: test/system/postgres-ledger.test.ts.

import assert from "node:assert/strict"
import { EventEmitter } from "node:events"
import { describe, it } from "node:test"
import { setImmediate as turnEnded } from "node:timers/promises"
import type { Worker } from "node:worker_threads"

import { CommitQueue } from "../../../../../src/vault/ledger/sqlite/commit-queue.ts"
import type {
  FromWorker,
  ToWorker,
} from "../../../../../src/vault/ledger/sqlite/worker-messages.ts"
import type { JournalRow } from "../../../../../src/vault/ledger/records/row.ts"
import type { Replica } from "../../../../../src/vault/ledger/store/store.ts"

const row = {} as JournalRow // no thread reads it
const written = { kind: "written", released: undefined } as const

/** The ledger's thread: it keeps what it is told, and says what it is asked to. */
class FakeThread extends EventEmitter {
  readonly told: ToWorker["kind"][] = []

  postMessage({ kind }: ToWorker): void {
    this.told.push(kind)
  }

  says(message: FromWorker): void {
    this.emit("message", message)
  }

  appended(seq: number): void {
    const head = { seq, hash: new Uint8Array(32) }
    this.says({ kind: "appended", rows: ["{}"], results: [written], head })
  }
}

/** Where entries are kept besides: `durable` says when they are. */
class FakeReplica implements Replica {
  readonly ended = new Promise<never>(() => undefined)
  durable = (): void => assert.fail("nothing was appended")
  append = (): Promise<void> => new Promise((resolve) => (this.durable = resolve))
  look = (): Promise<string> => Promise.resolve("{}")
  silence = (): ReadonlyMap<string, number> => new Map()
  close = (): void => undefined
}

function opened({ replica }: { readonly replica?: FakeReplica } = {}) {
  const thread = new FakeThread()
  const worker = thread as unknown as Worker // as far as a queue uses one
  const ended = new Promise<void>(() => undefined)
  const queue = new CommitQueue({ worker, ended, replica }, { seq: 0, hash: new Uint8Array(32) })
  return { queue, thread }
}

/** Whether `promise` is settled by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  const settle = (): boolean => (settled = true)
  promise.then(settle, settle)
  await turnEnded()
  return settled
}

describe("a ledger that is kept elsewhere too", () => {
  it("tells who waits before its copy commits, which it does also where nothing follows", async () => {
    const replica = new FakeReplica()
    const { queue, thread } = opened({ replica })
    const appended = queue.append(row)
    await turnEnded()
    thread.appended(1)
    assert.equal(await isSettled(appended), false)
    const toldThen = appended.then(() => [...thread.told])
    replica.durable()
    assert.deepEqual(await toldThen, ["batch"])
    await turnEnded()
    assert.deepEqual(thread.told, ["batch", "replicated"])
  })

  it("has its copy commit once, and before the next batch", async () => {
    const replica = new FakeReplica()
    const { queue, thread } = opened({ replica })
    void queue.append(row)
    await turnEnded()
    const next = queue.append(row)
    thread.appended(1)
    replica.durable()
    await turnEnded()
    await turnEnded()
    assert.deepEqual(thread.told, ["batch", "replicated", "batch"])
    assert.equal(await isSettled(next), false)
  })

  it("has its copy commit before it is closed, also what was appended with the close", async () => {
    const replica = new FakeReplica()
    const { queue, thread } = opened({ replica })
    void queue.append(row)
    void queue.close()
    await turnEnded()
    thread.appended(1)
    replica.durable()
    await turnEnded()
    assert.deepEqual(thread.told, ["batch", "replicated", "close"])
  })

  it("doesn't have its copy commit what isn't durable elsewhere", async () => {
    const { queue, thread } = opened({ replica: new FakeReplica() })
    void queue.append(row)
    await turnEnded()
    thread.appended(1)
    void queue.append(row)
    await turnEnded()
    await turnEnded()
    assert.deepEqual(thread.told, ["batch"])
  })

  it("sends a batch on before its turn comes out, and doesn't wait until it is durable", async () => {
    const { queue, thread } = opened({ replica: new FakeReplica() })
    const turn = queue.turn([], () => void queue.append(row))
    assert.equal(await isSettled(turn), false)
    thread.appended(1)
    assert.equal(await isSettled(turn), true)
  })

  it("doesn't hold a turn back while another batch is under way", async () => {
    const { queue, thread } = opened({ replica: new FakeReplica() })
    void queue.append(row)
    await turnEnded()
    thread.appended(1)
    await turnEnded()
    assert.equal(await isSettled(queue.turn([], () => void queue.append(row))), true)
  })

  it("lets a turn out when the thread ends before it said anything, and nothing of it counts", async () => {
    const { queue, thread } = opened({ replica: new FakeReplica() })
    let appended: Promise<unknown> = Promise.resolve()
    const turn = queue.turn([], () => {
      appended = queue.append(row)
    })
    await turnEnded()
    thread.emit("exit")
    await assert.rejects(appended, /thread has ended/)
    assert.equal(await isSettled(turn), true)
  })
})

describe("a ledger that is here alone", () => {
  it("lets a turn out at once, so that what it makes is made while the disk writes", async () => {
    const { queue } = opened()
    assert.equal(await isSettled(queue.turn([], () => void queue.append(row))), true)
  })
})
