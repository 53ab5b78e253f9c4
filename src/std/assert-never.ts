/**
 * Marks a branch that the types rule out.
 *
 * @throws {Error} naming `label`, never the value, which could be secret.
 */
export function assertNever(_value: never, label: string): never {
  throw new Error(`unreachable: unknown ${label}`)
}
