/** The number 1 in fixed point with 18 decimals, the form of logarithms here. */
export const unit = 10n ** 18n

/** Extra digits for computing; results don't have them. */
const spare = 10n ** 6n
const scale = unit * spare

/** Two bounds of a logarithm, 2 units of the last decimal apart. The exact value is irrational. */
export type LogBounds = { readonly atLeast: bigint; readonly atMost: bigint }

/** |ln(a/b)| of whole numbers above zero. */
export function logOfRatio(a: bigint, b: bigint): LogBounds {
  if (a === b) return { atLeast: 0n, atMost: 0n }
  const [more, less] = a > b ? [a, b] : [b, a]
  // Every step below rounds down, by less than 10^-19 in all.
  const atLeast = naturalLog(more, less) / spare
  return { atLeast, atMost: atLeast + 2n }
}

/** ln(more/less) = k ln 2 + ln(y), where 1 ≤ y < 2. */
function naturalLog(more: bigint, less: bigint): bigint {
  let divisor = less
  let halvings = 0n
  for (; more >= 2n * divisor; halvings += 1n) divisor *= 2n
  return halvings * ln2 + logNearOne(more, divisor)
}

/** ln(a/b) = 2 artanh z = 2 (z + z³/3 + z⁵/5 + …) with z = (a − b) / (a + b), at most a third here. */
function logNearOne(a: bigint, b: bigint): bigint {
  const z = ((a - b) * scale) / (a + b)
  const square = (z * z) / scale
  let sum = 0n
  for (let power = z, n = 1n; power > 0n; power = (power * square) / scale, n += 2n) {
    sum += power / n
  }
  return 2n * sum
}

const ln2 = logNearOne(2n, 1n)
