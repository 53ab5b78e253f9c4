import { paperProfile, sandboxProfile, sandboxUrl } from "../../src/sandbox/profile.ts"

/** A venue.yaml of the main network, which knows of itself what the sandbox's does, at `url`. */
export function liveVenue(url = "https://venue.example"): string {
  return sandboxProfile({ url, asOf: new Date() })
    .replace("chain_id: 842569901", "chain_id: 84256")
    .replace(
      "{service_chain: Sandbox, signature_chain_ids: [842569901]}",
      "{service_chain: Mainnet, signature_chain_ids: [84256]}",
    )
}

/** An installation that trades for real, and on paper too. */
export const withPaper = { venue: liveVenue(), paper: paperProfile(sandboxUrl) }
