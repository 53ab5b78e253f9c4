/**
 * How many random cases a property runs: `base` times the factor in the environment variable `RUNS`
 * (1 if it isn't set). `npm run test:long` sets a large one.
 */
export function numRuns(base: number): { readonly numRuns: number } {
  const factor = Number(process.env["RUNS"] ?? "1")
  if (!Number.isFinite(factor) || factor <= 0) throw new Error("RUNS must be a number above zero")
  return { numRuns: Math.max(1, Math.round(base * factor)) }
}
