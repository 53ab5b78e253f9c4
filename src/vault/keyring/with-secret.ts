/**
 * Lends `secret` to `use` and overwrites it afterwards, even if `use` fails. If `use` returns a promise, it
 * overwrites it once that is settled.
 *
 * Best effort: V8 may have copied the bytes. Secrets stay in a `Uint8Array`, never in a string, which
 * can't be overwritten at all.
 */
export function withSecret<Output>(
  secret: Uint8Array,
  use: (secret: Uint8Array) => Output,
): Output {
  let isPending = false
  try {
    const output = use(secret)
    if (!(output instanceof Promise)) return output
    isPending = true
    return output.finally(() => secret.fill(0)) as Output // `finally` passes the value on as it is
  } finally {
    if (!isPending) secret.fill(0)
  }
}
