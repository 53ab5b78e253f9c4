import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import type { Warning } from "../../link/views/views.ts"
import { Fault } from "../../std/fault.ts"
import type { Acts, FilesInForce } from "../active/active-set.ts"
import type { FileText } from "../config/file-set.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { acceptPolicy, candidate, rollback, setBefore } from "../status/attestation.ts"
import { reload } from "./reload.ts"

type Files = Acts & FilesInForce & { readonly ledger: Pick<Ledger, "lastSet" | "set" | "sets"> }

/** The admin socket's calls about the files in force and those on disk. */
export function fileMethods(vault: Files) {
  return {
    reload: (params: AdminParams["reload"]) => reload(vault, params.hash),
    filesInForce: async (params: AdminParams["filesInForce"]) =>
      (await filesOf(params, vault)).flatMap(piecesOf),
    filesOnDisk: async () => ({ differ: await filesDiffer(vault) }),
    candidate: () => candidate(vault),
    acceptPolicy: (params: AdminParams["acceptPolicy"]) =>
      vault.inTurn(() => acceptPolicy(params, vault)),
    setBefore: () => setBefore(vault),
    rollback: (params: AdminParams["rollback"]) => vault.inTurn(() => rollback(params, vault)),
  }
}

/** As of now. */
export async function filesDiffer(files: FilesInForce): Promise<Warning | null> {
  await files.lookAtDisk()
  const { message, fix } = files.differ() ?? {}
  return message === undefined || fix === undefined ? null : { message, fix }
}

/** @throws {Fault} `name_unknown`. */
async function filesOf(
  { hash }: AdminParams["filesInForce"],
  { active, ledger }: Files,
): Promise<AdminResults["filesInForce"]> {
  const { policyHash, texts } = active()
  if (hash === undefined || hash === policyHash) return texts
  const set = await ledger.set(hash)
  if (set !== undefined) return set.files
  throw new Fault(
    "name_unknown",
    "No files with this hash were in force here. An earlier version put clients and keys into the hash of its records; countersign policy log shows the files of that time.",
  )
}

/** Few enough characters for a line of the socket, however they are escaped there. */
const pieceLength = 16_384

function piecesOf({ name, text }: FileText): readonly FileText[] {
  const count = Math.max(1, Math.ceil(text.length / pieceLength))
  return Array.from({ length: count }, (_, index) => ({
    name,
    text: text.slice(index * pieceLength, (index + 1) * pieceLength),
  }))
}
