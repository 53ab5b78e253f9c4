import type { FaultCode } from "../../../std/fault.ts"

/** `cover` returns zeros. They overwrite what is left of a key in the vault's read buffer. */
type Verb = "getPassword" | "setPassword" | "deletePassword" | "findCredentials" | "cover"

/** What the vault asks of the keychain's process, one call at a time. A secret follows it as bytes. */
export type KeychainCall = {
  readonly verb: Verb
  /** Empty for `findCredentials` and `cover`. */
  readonly account: string
}

/** What the process answers. The items' secrets follow it as bytes, one after the other. */
export type KeychainAnswer =
  | {
      readonly isOk: true
      /** For `deletePassword`, whether there was an item. */
      readonly isDone: boolean
      readonly items: readonly { readonly account: string; readonly secretBytes: number }[]
    }
  | { readonly isOk: false; readonly code: FaultCode; readonly message: string }
