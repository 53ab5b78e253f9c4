import { formatDecimal } from "../../../venue/decimal.ts"
import { readDecimal } from "../records/prices.ts"
import type { SnapshotHead, StoredSnapshot } from "../store/meter-queries.ts"
import type { SumPart } from "./expiring-sum.ts"
import type { MeterImage, MetersImage } from "./meters.ts"

// Snapshots of the meters as text, and back.

/** Another number for every change of the text, of what meters are called, or of how they count. */
export const snapshotVersion = 1

/** As many as take about half a millisecond to write. */
const partsInText = 1_000

/** Writes meters as texts of few thousand parts, one at each step, so that other work can go between. */
export function* writeImage({ meters }: MetersImage): Generator<string> {
  let lines: string[] = []
  let parts = 0
  for (const meter of meters) {
    if (meter.bucketMs === Infinity) continue // the ledger keeps what counts for ever by itself
    for (const kind of ["used", "givenBack"] as const) {
      if (meter[kind].length === 0) continue
      lines.push(writeSum(meter, kind))
      parts += meter[kind].length
      if (parts < partsInText) continue
      yield lines.join("\n")
      lines = []
      parts = 0
    }
  }
  if (lines.length > 0) yield lines.join("\n")
}

/**
 * Reads a snapshot, meters as they were after entry `seq`, that was counted by `countedBy`. Any other, and what can't be read, is as good as none,
 * for the journal has all that it holds.
 */
export function readSnapshot(
  { seq, head: headText, texts }: StoredSnapshot,
  countedBy: string | undefined,
) {
  try {
    const head = JSON.parse(headText) as SnapshotHead // of our version it is one
    if (head.version !== snapshotVersion || head.countedBy !== countedBy) return undefined
    return { seq, image: readImage(head, texts), unheard: head.unheard }
  } catch {
    return undefined
  }
}

function readImage(head: SnapshotHead, texts: readonly string[]): MetersImage {
  const meters = new Map<string, MeterImage>()
  for (const line of texts.flatMap((text) => text.split("\n"))) {
    const { id, name, bucketMs, kind, parts } = JSON.parse(line) as SumLine // writeSum wrote it
    const meter = meters.get(id) ?? { id, name, bucketMs, used: [], givenBack: [] }
    meters.set(id, { ...meter, [kind]: parts.map(readPart) })
  }
  return { highWaterMs: head.highWaterMs ?? -Infinity, meters: [...meters.values()] }
}

type SumLine = Pick<MeterImage, "id" | "name" | "bucketMs"> & {
  readonly kind: "used" | "givenBack"
  readonly parts: readonly PartFields[]
}

type PartFields = readonly [fromMs: number, firstUntilMs: number, untilMs: number, amount: string]

function writeSum(meter: MeterImage, kind: SumLine["kind"]): string {
  const { id, name, bucketMs } = meter
  const line: SumLine = { id, name, bucketMs, kind, parts: meter[kind].map(partFields) }
  return JSON.stringify(line)
}

function partFields({ fromMs, firstUntilMs, untilMs, amount }: SumPart): PartFields {
  return [fromMs, firstUntilMs, untilMs, formatDecimal(amount)]
}

function readPart([fromMs, firstUntilMs, untilMs, amount]: PartFields): SumPart {
  return { fromMs, firstUntilMs, untilMs, amount: readDecimal(amount) }
}
