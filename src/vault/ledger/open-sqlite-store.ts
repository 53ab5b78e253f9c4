import { once } from "node:events"
import { Worker } from "node:worker_threads"

import { Fault } from "../../std/fault.ts"
import { programFile } from "../../std/program-files.ts"
import type { OpenedState, Replica } from "./store/store.ts"
import { CommitQueue, threadFault } from "./sqlite/commit-queue.ts"
import type { FromWorker, ThreadAsk } from "./sqlite/worker-messages.ts"

/**
 * Starts the database's thread on `file` and reads what a start at `nowMs` needs. With a replica an entry is
 * committed once that has it too.
 *
 * @throws {Fault} as `openDatabase` does.
 */
export async function openSqliteStore(
  file: string,
  nowMs: number,
  replica?: Replica,
): Promise<{ readonly store: CommitQueue; readonly state: OpenedState }> {
  const ask: ThreadAsk = { file, nowMs, isReplicated: replica !== undefined }
  const worker = new Worker(programFile("vault/ledger/sqlite/sqlite-worker"), { workerData: ask })
  const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()))
  const message = await firstMessage(worker)
  if (message?.kind === "opened") {
    const { head } = message.state.identity
    const store = new CommitQueue({ worker, ended, replica }, head)
    return { store, state: message.state }
  }
  await ended
  if (message?.kind === "failed") throw new Fault(message.code, message.message)
  throw threadFault()
}

/** `undefined` when the thread ends without a word. */
async function firstMessage(worker: Worker): Promise<FromWorker | undefined> {
  const spoken = once(worker, "message") as Promise<[FromWorker]>
  const silent = once(worker, "exit").then(() => [undefined] as const)
  try {
    const [message] = await Promise.race([spoken, silent])
    return message
  } catch (error) {
    throw threadFault(error)
  }
}
