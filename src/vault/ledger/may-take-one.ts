/**
 * Whether a client may take one more of a bound that all share: as long as it holds fewer than are free. One alone so gets
 * half, and something is always left for another.
 */
export function mayTakeOne(
  client: string,
  taken: Iterable<{ readonly client: string }>,
  max: number,
): boolean {
  let own = 0
  let free = max
  for (const each of taken) {
    free -= 1
    if (each.client === client) own += 1
  }
  return own < free
}
