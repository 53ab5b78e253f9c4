// Where the parts of the system service lie. The units in systemd/ say the same.

/** Whose the installation is. */
export const vaultUser = "countersign-vault"

/** The installation that the units run. */
export const systemInstallation = {
  configDir: "/etc/countersign",
  stateDir: "/var/lib/countersign",
} as const
export const signerDir = "/var/lib/signers-of-countersign"

/** All that is the vault's, and that no uninstall removes. */
export const vaultDirectories: readonly string[] = [
  systemInstallation.configDir,
  systemInstallation.stateDir,
  signerDir,
]

/** The systemd credential that opens the keystore. */
export const credentialName = "countersign-key"
export const credentialFile = `${systemInstallation.configDir}/${credentialName}.cred`

/** Starts, stops and enables everything, sockets included. */
export const target = "countersign.target"

/**
 * Both services, as words for systemctl; the sockets stay open while these are started anew. systemctl asks for one
 * after the other, and the gate, which is stopped first, is to be known of by then.
 */
export const services = "countersign-gate countersign-vault"

/** Private files of the gate's user, with the addresses and secrets of `notify`. */
export const gateNotifyDir = "/etc/countersign-gate"

/** The relay's user's: relay.yaml, without which neither the relay nor its socket is started, and what that names. */
export const relayDir = "/etc/countersign-relay"
