/** Every bound of the relay. Tests pass smaller ones; a running relay has no way to change them. */
export type RelayLimits = typeof relayLimits

export const relayLimits = {
  /** The name's lookup and TCP. */
  connectMs: 5_000,
  /** From being connected to the one byte that answers for TLS, and again from there to the end of TLS's handshake. */
  answerMs: 5_000,
  /** Silence after which the system asks whether the other side is there still; it gives up some 10 s later. */
  keepAliveMs: 5_000,
  /** Before each attempt to connect again. Doubles up to the longest. */
  shortestPauseMs: 100,
  longestPauseMs: 2_000,
  /** A connection that lasts this long is told of as one. Servers refuse a certificate after the handshake has ended. */
  steadyMs: 1_000,
  /** How long one direction of a connection may go on when the other has ended. */
  lingerMs: 2_000,
}
