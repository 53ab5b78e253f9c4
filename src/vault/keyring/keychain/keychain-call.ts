import type { FaultCode } from "../../../std/fault.ts"

/** `cover` returns zeros. They overwrite what is left of a key in the vault's read buffer. */
type Verb = "getPassword" | "setPassword" | "deletePassword" | "cover"

/** What the vault asks of the keychain's process, one call at a time. A secret follows it as bytes. */
export type KeychainCall = {
  readonly verb: Verb
  /** Empty for `cover`. */
  readonly account: string
}

/** What the process answers. An item's secret follows it as bytes. `isDone` is whether there was an item to get or delete. */
export type KeychainAnswer =
  | { readonly isOk: true; readonly isDone: boolean }
  | { readonly isOk: false; readonly code: FaultCode; readonly message: string }
