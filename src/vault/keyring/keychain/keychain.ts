/**
 * The operating system's keychain: keytar's verbs, but over bytes. All calls are about the items of one
 * service, which is fixed where it is opened.
 */
export type Keychain = {
  /** `undefined` where there is no such item. The secret is the caller's, to overwrite after use. */
  getPassword(account: string): Promise<Uint8Array | undefined>
  /** Overwrites what is there. `secret` stays the caller's, to overwrite. */
  setPassword(account: string, secret: Uint8Array): Promise<void>
  /** Whether there was an item to delete. */
  deletePassword(account: string): Promise<boolean>
}

/** Which library speaks to the keychain. On Linux neither sees what the other stored. */
export type KeychainDriver = "native" | "keytar"

/** What says which items are meant, and how they are reached. */
export type KeychainSettings = {
  readonly driver: KeychainDriver
  readonly service: string
  /** keytar's own directory, an absolute path, where it isn't installed beside this program. */
  readonly keytarDirectory?: string | undefined
}
