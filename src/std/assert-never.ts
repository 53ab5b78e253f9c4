/**
 * Marks a branch that the types rule out.
 *
 * @throws {Error} naming `label`, never the value, which could be secret.
 */
export function assertNever(value: never, label: string): never {
  void value
  throw new Error(`unreachable: unknown ${label}`)
}
