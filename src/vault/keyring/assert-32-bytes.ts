/** Throws unless these are 32 bytes. Tells type and length of what came, never its contents. */
export function assert32Bytes(bytes: unknown, label: string): void {
  if (!(bytes instanceof Uint8Array)) {
    throw new TypeError(`expected 32 bytes as ${label}, got ${typeof bytes}`)
  }
  if (bytes.length !== 32) {
    throw new RangeError(`expected 32 bytes as ${label}, got Uint8Array of ${bytes.length}`)
  }
}
