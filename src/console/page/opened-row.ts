import type { Decision, RecordShown } from "../asks.ts"
import { post } from "./session.ts"
import type { Opened } from "./views/record.ts"

/** Opens a row and reads its record, or closes it. At most one is open, and none at first. `show` hears of each change. */
export function openedRow(show: (opened: Opened | undefined) => void): (row: Decision) => void {
  let openSeq: number | undefined
  const open = async (row: Decision): Promise<void> => {
    const { seq } = row
    show({ seq, known: { kind: "asked" } })
    const known = await recordOf(row)
    // Another may have been opened meanwhile.
    if (openSeq === seq) show({ seq, known })
  }
  return (row) => {
    const isOpen = openSeq === row.seq
    openSeq = isOpen ? undefined : row.seq
    if (isOpen) show(undefined)
    else void open(row)
  }
}

async function recordOf({ record: id, seq }: Decision): Promise<Opened["known"]> {
  const answered = await post("record", { id, seq })
  return answered.ok
    ? { kind: "told", record: answered.data as RecordShown | null } // the server made it
    : { kind: "failed", why: answered.why }
}
